import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Fault, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded, temporary } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { parseBody } from "#platforms/response.ts";
import { type Creator, CreatorBody } from "./answers.ts";
import { callApi, isSuccess } from "./api.ts";
import { toFault } from "./errors.ts";

/**
 * Reads what the account may do now. Needed at every preview and before every direct post, because users change these
 * settings.
 */
export async function readCreator(client: PlatformClient, token: string): Promise<Result<Creator>> {
  const response = await callApi(client, "/v2/post/publish/creator_info/query/", token);
  if (!isSuccess(response)) {
    return failed(toFault(response));
  }
  const creator = parseBody(CreatorBody, response);
  return creator
    ? succeeded(creator.data)
    : failed(temporary("TikTok did not return what the account may do.", { httpStatus: response.status }));
}

/** Converts what TikTok says about an account to the capabilities that `validate` reads. */
export function toCapabilities(creator: Creator): JsonObject {
  return {
    creatorUsername: creator.creator_username ?? null,
    creatorName: creator.creator_nickname ?? null,
    creatorAvatarUrl: creator.creator_avatar_url ?? null,
    privacyLevels: creator.privacy_level_options,
    commentDisabled: creator.comment_disabled === true,
    duetDisabled: creator.duet_disabled === true,
    stitchDisabled: creator.stitch_disabled === true,
    maxVideoSeconds: creator.max_video_post_duration_sec ?? null,
    refusal: null,
  };
}

/** Whether a fault is about the account and not the call, so that the account cannot post at the moment. */
export function isAccountRefusal(fault: Fault): boolean {
  return fault.code === "daily_cap_reached" || fault.code === "app_user_cap" || fault.code === "account_restricted";
}

export async function fetchCapabilities(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const creator = await catchConnectionErrors(() => readCreator(client, account.accessToken));
  if (creator.ok) {
    return succeeded({ ...account.capabilities, ...toCapabilities(creator.value) });
  }
  return isAccountRefusal(creator.fault)
    ? succeeded({ ...account.capabilities, refusal: creator.fault.message })
    : creator;
}
