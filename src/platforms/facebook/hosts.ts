import type { AppCredentials } from "#platforms/contract.ts";

const DIALOG = "https://www.facebook.com";
const GRAPH = "https://graph.facebook.com";
/** Videos are posted here. */
const VIDEO_GRAPH = "https://graph-video.facebook.com";
export const UPLOAD_HOST = "rupload.facebook.com";

export const hosts = ["graph.facebook.com", "graph-video.facebook.com", UPLOAD_HOST] as const;

/** Valid until 29 July 2028 (developers.facebook.com/docs/graph-api/changelog); every page read documents it. */
const VERSION = "v25.0";

function versionOf(app: AppCredentials): string {
  return app.settings["API_VERSION"] ?? VERSION;
}

export function loginOf(app: AppCredentials, scopes: readonly string[]) {
  return { dialog: `${DIALOG}/${versionOf(app)}/dialog/oauth`, graph: graphOf(app), scopes };
}

export function graphOf(app: AppCredentials): string {
  return `${GRAPH}/${versionOf(app)}`;
}

export function videoGraphOf(app: AppCredentials): string {
  return `${VIDEO_GRAPH}/${versionOf(app)}`;
}
