/** The browser goes here; we never do. */
export const AUTHORIZE_URL = "https://www.tiktok.com/v2/auth/authorize/";
export const API = "https://open.tiktokapis.com";

/** The platform says with every upload which of its hosts takes it. */
export const UPLOAD_HOSTS = ["*.tiktokapis.com"] as const;

export const hosts = ["open.tiktokapis.com", ...UPLOAD_HOSTS] as const;
