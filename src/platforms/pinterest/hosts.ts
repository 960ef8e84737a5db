import type { AppCredentials } from "#platforms/contract.ts";

/** The browser goes here; we never do. */
export const AUTHORIZE_URL = "https://www.pinterest.com/oauth/";

/** Videos go to a bucket that Pinterest names; no token goes with them. */
export const UPLOAD_HOSTS = ["*.s3-accelerate.amazonaws.com", "*.s3.amazonaws.com"] as const;

export const hosts = ["api.pinterest.com", "api-sandbox.pinterest.com", ...UPLOAD_HOSTS] as const;

/** An app with Trial access can create pins in Pinterest's sandbox only, where nobody but their maker sees them. */
export function apiOf(app: AppCredentials): string {
  return app.settings["API"] === "sandbox" ? "https://api-sandbox.pinterest.com/v5" : "https://api.pinterest.com/v5";
}

export function pinUrl(id: string): string {
  return `https://www.pinterest.com/pin/${encodeURIComponent(id)}/`;
}
