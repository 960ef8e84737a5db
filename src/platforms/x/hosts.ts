/** Opened by the browser only; the service never calls it. */
export const AUTHORIZE_URL = "https://x.com/i/oauth2/authorize";
export const API_ORIGIN = "https://api.x.com";
export const TOKEN_URL = `${API_ORIGIN}/2/oauth2/token`;

export const hosts = ["api.x.com"] as const;
