/** Opened by the browser only; the service never calls it. */
export const AUTHORIZE_URL = "https://x.com/i/oauth2/authorize";
export const API_ORIGIN = "https://api.x.com";

export const hosts = ["api.x.com"] as const;
