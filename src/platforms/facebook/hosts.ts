import type { AppCredentials } from "#platforms/contract.ts";

const DIALOG_ORIGIN = "https://www.facebook.com";
const GRAPH_ORIGIN = "https://graph.facebook.com";
/** The host for posting videos. */
const VIDEO_GRAPH_ORIGIN = "https://graph-video.facebook.com";
export const UPLOAD_HOST = "rupload.facebook.com";

export const hosts = ["graph.facebook.com", "graph-video.facebook.com", UPLOAD_HOST] as const;

/** Valid until 29 July 2028 (developers.facebook.com/docs/graph-api/changelog). */
const DEFAULT_API_VERSION = "v25.0";

export function apiVersion(app: AppCredentials): string {
  return app.settings["API_VERSION"] ?? DEFAULT_API_VERSION;
}

export function loginDialog(app: AppCredentials, scopes: readonly string[]) {
  return { dialogUrl: `${DIALOG_ORIGIN}/${apiVersion(app)}/dialog/oauth`, graphUrl: graphUrl(app), scopes };
}

export function graphUrl(app: AppCredentials): string {
  return `${GRAPH_ORIGIN}/${apiVersion(app)}`;
}

export function videoGraphUrl(app: AppCredentials): string {
  return `${VIDEO_GRAPH_ORIGIN}/${apiVersion(app)}`;
}
