import type { AccountAccess, AppCredentials } from "#platforms/contract.ts";

export const AUTHORIZE_URL = "https://www.instagram.com/oauth/authorize";
export const TOKEN_URL = "https://api.instagram.com/oauth/access_token";
/** Token calls on this host have no version in their path. */
export const DIRECT_GRAPH_ORIGIN = "https://graph.instagram.com";
const PAGE_GRAPH_ORIGIN = "https://graph.facebook.com";
const PAGE_DIALOG_ORIGIN = "https://www.facebook.com";

export const hosts = ["api.instagram.com", "graph.instagram.com", "graph.facebook.com"] as const;

/** Valid until 29 July 2028 (developers.facebook.com/docs/graph-api/changelog). */
const DEFAULT_API_VERSION = "v25.0";

/** `direct`: the account itself logs in. `page`: a user with Pages logs in, and one of the Pages owns the account. */
export type LoginVariant = "direct" | "page";

/** Meta allows an app only one of the two logins, so the operator configures it. */
export function loginVariant(app: Pick<AppCredentials, "settings">): LoginVariant {
  return app.settings["LOGIN_VARIANT"] === "facebook" ? "page" : "direct";
}

/** developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments */
export function commentScope(settings: AppCredentials["settings"]): string {
  return loginVariant({ settings }) === "page" ? "instagram_manage_comments" : "instagram_business_manage_comments";
}

/**
 * Whether the operator relies on Instagram publishing a container only once. Meta does not document it, so by default the
 * adapter publishes a container again only right after it read the container's status.
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

/** An account publishes through the API of its login, also after the operator changes the variant. */
export function graphUrl(account: AccountAccess): string {
  const version = apiVersion(account.app);
  return account.capabilities["login"] === "page"
    ? `${PAGE_GRAPH_ORIGIN}/${version}`
    : `${DIRECT_GRAPH_ORIGIN}/${version}`;
}

/** The edge that shows how many posts the account may publish. */
export function publishingLimitUrl(account: AccountAccess): string {
  return `${graphUrl(account)}/${encodeURIComponent(account.platformAccountId)}/content_publishing_limit`;
}
