/** The login page, which only the user's browser opens. */
export const AUTHORIZE_URL = "https://x.com/i/oauth2/authorize";
export const API_ORIGIN = "https://api.x.com";
export const TOKEN_URL = `${API_ORIGIN}/2/oauth2/token`;

export const hosts = ["api.x.com"] as const;

/**
 * The timeout (ms) of a call, as in X's own SDK: `timeout` of xdk-gen/templates/typescript/main_client.j2 in
 * https://github.com/xdevplatform/xdk.
 */
export const CALL_TIMEOUT_MS = 30_000;
