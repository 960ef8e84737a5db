import type { AppCredentials } from "#platforms/contract.ts";

export const AUTHORIZE_URL = "https://threads.net/oauth/authorize";
export const GRAPH = "https://graph.threads.net";

export const hosts = ["graph.threads.net"] as const;

/** Independent of the Graph's versions, and the only one so far. */
const VERSION = "v1.0";

export function graphOf(app: AppCredentials): string {
  return `${GRAPH}/${app.settings["API_VERSION"] ?? VERSION}`;
}
