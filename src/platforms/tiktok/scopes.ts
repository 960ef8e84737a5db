import { splitScopes } from "#platforms/oauth-token.ts";

/*
 * TikTok approves an app's scopes one by one, and one scope that the app lacks refuses the whole login
 * (https://github.com/ChatbotXIO/ChatbotX/pull/1231), so that only the least is asked for unless TIKTOK_SCOPES names more.
 */

export const LEAST_SCOPES = ["user.info.basic", "video.publish"] as const;
export const DRAFT_SCOPE = "video.upload";
export const LIST_SCOPE = "video.list";
export const PROFILE_SCOPE = "user.info.profile";

/** `settings`: the operator's TikTok variables. */
export function requestedScopes(settings: Readonly<Record<string, string>>): readonly string[] {
  return [...new Set([...LEAST_SCOPES, ...splitScopes(settings["SCOPES"] ?? "")])];
}

/** The operator's statement that the app has passed TikTok's audit; every new app has not. */
export function isAudited(settings: Readonly<Record<string, string>>): boolean {
  return settings["AUDITED"] === "true";
}
