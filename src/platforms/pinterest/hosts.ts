import type { AppCredentials } from "#platforms/contract.ts";

/** The login page, which only the user's browser opens. */
export const AUTHORIZE_URL = "https://www.pinterest.com/oauth/";

/** The storage hosts to which videos are uploaded, without an access token. Pinterest names the bucket. */
export const UPLOAD_HOSTS = ["*.s3-accelerate.amazonaws.com", "*.s3.amazonaws.com"] as const;

export const hosts = ["api.pinterest.com", "api-sandbox.pinterest.com", ...UPLOAD_HOSTS] as const;

/**
 * The API's URL for this app. An app with Trial access can create pins only in Pinterest's own sandbox, where only
 * their author sees them.
 */
export function apiUrl(app: AppCredentials): string {
  return app.settings["API"] === "sandbox" ? "https://api-sandbox.pinterest.com/v5" : "https://api.pinterest.com/v5";
}

export function pinUrl(id: string): string {
  return `https://www.pinterest.com/pin/${encodeURIComponent(id)}/`;
}
