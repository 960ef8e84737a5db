import type { AppCredentials } from "#platforms/contract.ts";

/** Opened by the browser only; the service never calls it. */
export const AUTHORIZE_URL = "https://www.pinterest.com/oauth/";

/** Videos are uploaded to a storage bucket that Pinterest names, without an access token. */
export const UPLOAD_HOSTS = ["*.s3-accelerate.amazonaws.com", "*.s3.amazonaws.com"] as const;

export const hosts = ["api.pinterest.com", "api-sandbox.pinterest.com", ...UPLOAD_HOSTS] as const;

/** An app with Trial access can create pins only in Pinterest's own sandbox, where only their author sees them. */
export function apiUrl(app: AppCredentials): string {
  return app.settings["API"] === "sandbox" ? "https://api-sandbox.pinterest.com/v5" : "https://api.pinterest.com/v5";
}

export function pinUrl(id: string): string {
  return `https://www.pinterest.com/pin/${encodeURIComponent(id)}/`;
}
