/** Opened by the browser only; the service never calls it. */
export const AUTHORIZE_URL = "https://x.com/i/oauth2/authorize";
export const API_ORIGIN = "https://api.x.com";
export const TOKEN_URL = `${API_ORIGIN}/2/oauth2/token`;

export const hosts = ["api.x.com"] as const;

/** X's own SDK waits 30 seconds for a call: `timeout` of xdk-gen/templates/typescript/main_client.j2 in https://github.com/xdevplatform/xdk. */
export const CALL_TIMEOUT_MS = 30_000;
