/** Opened by the browser only; the service never calls it. */
export const AUTHORIZE_URL = "https://www.tiktok.com/v2/auth/authorize/";
export const API_ORIGIN = "https://open.tiktokapis.com";
export const TOKEN_URL = `${API_ORIGIN}/v2/oauth/token/`;

/** TikTok names the host of each upload. */
export const UPLOAD_HOSTS = ["*.tiktokapis.com"] as const;

export const hosts = ["open.tiktokapis.com", ...UPLOAD_HOSTS] as const;
