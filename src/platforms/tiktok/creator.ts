import type { JsonObject } from "#core/json.ts";
import { read } from "#platforms/answer.ts";
import type { AccountAccess, Fault, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded, temporary } from "#platforms/fault.ts";
import { guarded } from "#platforms/oauth-token.ts";
import { type Creator, CreatorInfo } from "./answers.ts";
import { ask, isGranted } from "./api.ts";
import { toFault } from "./errors.ts";

/** What the account may do right now: asked at every preview and before every direct post, because people change it. */
export async function creatorOf(client: PlatformClient, token: string): Promise<Result<Creator>> {
  const answer = await ask(client, "/v2/post/publish/creator_info/query/", token);
  if (!isGranted(answer)) {
    return failed(toFault(answer));
  }
  const creator = read(CreatorInfo, answer);
  return creator
    ? succeeded(creator.data)
    : failed(temporary("TikTok did not tell what the account may do.", { httpStatus: answer.status }));
}

/** In our own words, for `validate`. */
export function capabilitiesOf(creator: Creator): JsonObject {
  return {
    creatorUsername: creator.creator_username ?? null,
    privacyLevels: creator.privacy_level_options,
    commentDisabled: creator.comment_disabled === true,
    duetDisabled: creator.duet_disabled === true,
    stitchDisabled: creator.stitch_disabled === true,
    maxVideoSeconds: creator.max_video_post_duration_sec ?? null,
    refusal: null,
  };
}

/** The answer is about the account and not about the call: it may not post just now. */
export function isRefusal(fault: Fault): boolean {
  return fault.code === "daily_cap_reached" || fault.code === "app_user_cap" || fault.code === "account_blocked";
}

export async function inspect(client: PlatformClient, account: AccountAccess): Promise<Result<JsonObject>> {
  const creator = await guarded(() => creatorOf(client, account.accessToken));
  if (creator.ok) {
    return succeeded({ ...account.capabilities, ...capabilitiesOf(creator.value) });
  }
  return isRefusal(creator.fault) ? succeeded({ ...account.capabilities, refusal: creator.fault.message }) : creator;
}
