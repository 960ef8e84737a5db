import type { AccountAccess, AppCredentials } from "#platforms/contract.ts";

export const AUTHORIZE_URL = "https://www.instagram.com/oauth/authorize";
export const TOKEN_URL = "https://api.instagram.com/oauth/access_token";
/** Lengthening and renewing a token have no version. */
export const GRAPH = "https://graph.instagram.com";
const PAGE_GRAPH = "https://graph.facebook.com";
const PAGE_DIALOG = "https://www.facebook.com";

export const hosts = ["api.instagram.com", "graph.instagram.com", "graph.facebook.com"] as const;

/** Valid until 29 July 2028 (developers.facebook.com/docs/graph-api/changelog); every page read documents it. */
const VERSION = "v25.0";

/** `direct`: the account itself logs in. `page`: a person logs in, the account stands behind one of their Pages. */
export type Variant = "direct" | "page";

/** An app may implement one of the two logins only, so the operator says which. */
export function variantOf(app: AppCredentials): Variant {
  return app.settings["LOGIN_VARIANT"] === "facebook" ? "page" : "direct";
}

function versionOf(app: AppCredentials): string {
  return app.settings["API_VERSION"] ?? VERSION;
}

export function directGraph(app: AppCredentials): string {
  return `${GRAPH}/${versionOf(app)}`;
}

export function pageLogin(app: AppCredentials, scopes: readonly string[]) {
  return {
    dialog: `${PAGE_DIALOG}/${versionOf(app)}/dialog/oauth`,
    graph: `${PAGE_GRAPH}/${versionOf(app)}`,
    scopes,
  };
}

/** The Graph an account is published through: the one its login came from, whatever the operator says by now. */
export function graphOf(account: AccountAccess): string {
  const version = versionOf(account.app);
  return account.capabilities["login"] === "page" ? `${PAGE_GRAPH}/${version}` : `${GRAPH}/${version}`;
}
