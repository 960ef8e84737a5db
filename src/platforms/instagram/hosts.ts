import type { AccountAccess, AppCredentials } from "#platforms/contract.ts";

export const AUTHORIZE_URL = "https://www.instagram.com/oauth/authorize";
export const TOKEN_URL = "https://api.instagram.com/oauth/access_token";
/** The host of direct logins. Token calls to it have no version in their path. */
export const DIRECT_GRAPH_ORIGIN = "https://graph.instagram.com";
const PAGE_GRAPH_ORIGIN = "https://graph.facebook.com";
const PAGE_DIALOG_ORIGIN = "https://www.facebook.com";

export const hosts = ["api.instagram.com", "graph.instagram.com", "graph.facebook.com"] as const;

/** The version of the Graph API, valid until 29 July 2028 (developers.facebook.com/docs/graph-api/changelog). */
const DEFAULT_API_VERSION = "v25.0";

/** Who logs in. `direct`: the account itself. `page`: a user with Pages, one of which owns the account. */
export type LoginVariant = "direct" | "page";

/** The kind of login from the operator's settings. Meta allows an app only one of the two. */
export function loginVariant(app: Pick<AppCredentials, "settings">): LoginVariant {
  return app.settings["LOGIN_VARIANT"] === "facebook" ? "page" : "direct";
}

/**
 * The scope that comments need:
 * developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments
 */
export function commentScope(settings: AppCredentials["settings"]): string {
  return loginVariant({ settings }) === "page" ? "instagram_manage_comments" : "instagram_business_manage_comments";
}

/**
 * Whether the operator relies on Instagram publishing a container only once, which Meta does not document. By default,
 * a container is published again only right after its status was read.
 */
export function republishesUnread(app: AppCredentials): boolean {
  return app.settings["REPUBLISH"] === "immediately";
}

export function apiVersion(app: AppCredentials): string {
  return app.settings["API_VERSION"] ?? DEFAULT_API_VERSION;
}

export function directGraphUrl(app: AppCredentials): string {
  return `${DIRECT_GRAPH_ORIGIN}/${apiVersion(app)}`;
}

export function pageLoginDialog(app: AppCredentials, scopes: readonly string[]) {
  return {
    dialogUrl: `${PAGE_DIALOG_ORIGIN}/${apiVersion(app)}/dialog/oauth`,
    graphUrl: `${PAGE_GRAPH_ORIGIN}/${apiVersion(app)}`,
    scopes,
  };
}

/**
 * The API of the login with which the account was connected. It does not change if the operator changes the setting.
 */
export function graphUrl(account: AccountAccess): string {
  const version = apiVersion(account.app);
  return account.capabilities["login"] === "page"
    ? `${PAGE_GRAPH_ORIGIN}/${version}`
    : `${DIRECT_GRAPH_ORIGIN}/${version}`;
}

/** The URL that shows how many posts the account may publish. */
export function publishingLimitUrl(account: AccountAccess): string {
  return `${graphUrl(account)}/${encodeURIComponent(account.platformAccountId)}/content_publishing_limit`;
}
