/** The browser goes here; we never do. */
export const AUTHORIZE_URL = "https://accounts.google.com/o/oauth2/v2/auth";
export const TOKEN_URL = "https://oauth2.googleapis.com/token";
export const REVOKE_URL = "https://oauth2.googleapis.com/revoke";
export const API = "https://www.googleapis.com/youtube/v3";
export const UPLOAD_URL = "https://www.googleapis.com/upload/youtube/v3/videos";

/** An upload session stands on one of these. */
export const UPLOAD_HOSTS: readonly string[] = ["www.googleapis.com", "youtube.googleapis.com"];

export const hosts = ["www.googleapis.com", "youtube.googleapis.com", "oauth2.googleapis.com"] as const;
