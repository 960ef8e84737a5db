import type { AppCredentials } from "#platforms/contract.ts";

export const AUTHORIZE_URL = "https://threads.net/oauth/authorize";
export const GRAPH_ORIGIN = "https://graph.threads.net";

export const hosts = ["graph.threads.net"] as const;

/** Not a version of the Graph API; the only one so far. */
const DEFAULT_API_VERSION = "v1.0";

export function graphUrl(app: AppCredentials): string {
  return `${GRAPH_ORIGIN}/${app.settings["API_VERSION"] ?? DEFAULT_API_VERSION}`;
}

/** The edge that tells how many posts the account may publish. */
export function publishingLimitUrl(app: AppCredentials, accountId: string): string {
  return `${graphUrl(app)}/${encodeURIComponent(accountId)}/threads_publishing_limit`;
}

/**
 * developers.facebook.com/documentation/threads/retrieve-and-manage-replies: for calls that write replies; the look for a lost
 * one needs that for calls that read them. Whether a reply to an own post needs the first is open (…/create-replies asks for the
 * ownership of the root post only), so it is asked for.
 */
export const WRITE_REPLIES_SCOPE = "threads_manage_replies";
export const THREAD_SCOPES = [WRITE_REPLIES_SCOPE, "threads_read_replies"] as const;
