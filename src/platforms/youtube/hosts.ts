/** The login page, which only the user's browser opens. */
export const AUTHORIZE_URL = "https://accounts.google.com/o/oauth2/v2/auth";
export const TOKEN_URL = "https://oauth2.googleapis.com/token";
export const REVOKE_URL = "https://oauth2.googleapis.com/revoke";
export const API_URL = "https://www.googleapis.com/youtube/v3";
export const UPLOAD_URL = "https://www.googleapis.com/upload/youtube/v3/videos";
export const THUMBNAIL_URL = "https://www.googleapis.com/upload/youtube/v3/thumbnails/set";

export const UPLOAD_HOSTS: readonly string[] = ["www.googleapis.com", "youtube.googleapis.com"];

export const hosts = ["www.googleapis.com", "youtube.googleapis.com", "oauth2.googleapis.com"] as const;
