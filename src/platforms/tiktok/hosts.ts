import { splitScopes } from "#platforms/oauth-token.ts";

/** The login page, which only the user's browser opens. */
export const AUTHORIZE_URL = "https://www.tiktok.com/v2/auth/authorize/";
export const API_ORIGIN = "https://open.tiktokapis.com";
export const TOKEN_URL = `${API_ORIGIN}/v2/oauth/token/`;

/** The hosts to which files are uploaded. TikTok names the host of each upload. */
export const UPLOAD_HOSTS = ["*.tiktokapis.com"] as const;

export const hosts = ["open.tiktokapis.com", ...UPLOAD_HOSTS] as const;

/* The scopes that posting needs. TikTok approves an app's scopes one by one, and refuses the whole login if the app
   lacks one (https://github.com/ChatbotXIO/ChatbotX/pull/1231). So the login requests only these unless
   TIKTOK_SCOPES names more. */

export const LEAST_SCOPES = ["user.info.basic", "video.publish"] as const;
export const DRAFT_SCOPE = "video.upload";
export const LIST_SCOPE = "video.list";
export const PROFILE_SCOPE = "user.info.profile";

/** The scopes that a login requests. `settings` are the operator's TikTok variables. */
export function requestedScopes(settings: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...LEAST_SCOPES, ...splitScopes(settings["SCOPES"] ?? "")])];
}

/** Whether the app has passed TikTok's audit, as the operator's settings say. A new app has not. */
export function isAudited(settings: Readonly<Record<string, string>>): boolean {
  return settings["AUDITED"] === "true";
}
