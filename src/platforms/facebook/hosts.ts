import type { AppCredentials } from "#platforms/contract.ts";

const DIALOG_ORIGIN = "https://www.facebook.com";
const GRAPH_ORIGIN = "https://graph.facebook.com";
const VIDEO_GRAPH_ORIGIN = "https://graph-video.facebook.com";
export const UPLOAD_HOST = "rupload.facebook.com";

export const hosts = ["graph.facebook.com", "graph-video.facebook.com", UPLOAD_HOST] as const;

/** The version of the Graph API, valid until 29 July 2028 (developers.facebook.com/docs/graph-api/changelog). */
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

/* Time limits of calls. Meta's own SDK waits 60 seconds for a call and up to two hours for an upload
   (DEFAULT_REQUEST_TIMEOUT and DEFAULT_VIDEO_UPLOAD_REQUEST_TIMEOUT of facebook/php-graph-sdk, FacebookClient.php).
   Our uploads wait less: an interrupted one continues later, and the publisher's alarm ends after minutes. */
export const CALL_TIMEOUT_MS = 60_000;
export const UPLOAD_TIMEOUT_MS = 120_000;

/** A permalink as a full URL, because Facebook often returns only its path. */
export function absolutePermalink(link: string | null | undefined): string | null {
  return link ? (URL.parse(link, "https://www.facebook.com")?.href ?? null) : null;
}
