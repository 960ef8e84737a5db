/** The browser goes here; we never do. */
export const AUTHORIZE_URL = "https://x.com/i/oauth2/authorize";
export const API = "https://api.x.com";

export const hosts = ["api.x.com"] as const;
