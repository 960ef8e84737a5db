import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { envelope, invalidParams, okResponse } from "./responses.ts";
import { type Creator, privacyOptions } from "./creators.ts";
import { isAudited } from "./operator-app.ts";
import { checkDailyCap, type Publish } from "./publishes.ts";

/* The options that a creator may use now, and the errors for a post that exceeds them (platforms/tiktok.md 2.1 and
   part 4). */

const MAX_VIDEO_TITLE_LENGTH = 2200;
const MAX_PHOTO_TITLE_LENGTH = 90;
const MAX_DESCRIPTION_LENGTH = 4000;
const BOOLEAN_FIELDS = [
  "disable_comment",
  "disable_duet",
  "disable_stitch",
  "brand_content_toggle",
  "brand_organic_toggle",
  "is_aigc",
  "auto_add_music",
];

export function readCreatorInfo(sim: SimulatorContext, token: Token, creator: Creator): Response {
  const errorCode = sim.settings.extra["creator_error"];
  // TikTok sends these errors with status 200.
  if (typeof errorCode === "string") {
    return envelope(sim, 200, errorCode, "The creator cannot post now.");
  }
  if (checkDailyCap(sim, token.login, false)) {
    return envelope(sim, 200, "spam_risk_too_many_posts", "Daily post cap is reached for the current user.");
  }
  return okResponse(sim, {
    creator_avatar_url: `https://p16.tiktokcdn.com/${creator.openId}`,
    creator_username: creator.username,
    creator_nickname: creator.nickname,
    privacy_level_options: privacyOptions(creator),
    comment_disabled: false,
    duet_disabled: creator.duetDisabled,
    stitch_disabled: creator.duetDisabled,
    max_video_post_duration_sec: creator.maxSeconds,
  });
}

/** The error for an unaudited app, an unavailable privacy level or a text that is too long, otherwise null. */
export function checkPostInfo(
  sim: SimulatorContext,
  creator: Creator,
  postInfo: JsonObject,
  kind: Publish["kind"],
): Response | null {
  const audited = isAudited(sim);
  if (!audited && !creator.isPrivate) {
    return envelope(
      sim,
      403,
      "unaudited_client_can_only_post_to_private_accounts",
      "Unaudited clients can only post to private accounts.",
    );
  }
  const level = postInfo["privacy_level"];
  const isOffered = typeof level === "string" && privacyOptions(creator).includes(level);
  if (!isOffered || (!audited && level !== "SELF_ONLY")) {
    return envelope(
      sim,
      403,
      "privacy_level_option_mismatch",
      "The privacy level is not one of the creator's options.",
    );
  }
  // Branded content cannot be private (content sharing guidelines). TikTok documents no separate code for that error.
  if (postInfo["brand_content_toggle"] === true && level === "SELF_ONLY") {
    return envelope(sim, 403, "privacy_level_option_mismatch", "Branded content cannot be private.");
  }
  const invalidField = BOOLEAN_FIELDS.find((name) => name in postInfo && typeof postInfo[name] !== "boolean");
  if (invalidField !== undefined) {
    return invalidParams(sim, `${invalidField} must be a boolean`);
  }
  const { video_cover_timestamp_ms: coverAtMs } = postInfo;
  if (coverAtMs !== undefined && (!Number.isSafeInteger(coverAtMs) || Number(coverAtMs) < 0)) {
    return invalidParams(sim, "video_cover_timestamp_ms must be a whole number of milliseconds");
  }
  const maxLengths = {
    title: kind === "video" ? MAX_VIDEO_TITLE_LENGTH : MAX_PHOTO_TITLE_LENGTH,
    description: MAX_DESCRIPTION_LENGTH,
  };
  const invalidText = Object.entries(maxLengths).find(([name, max]) => {
    const text = postInfo[name] ?? "";
    return typeof text !== "string" || text.length > max;
  });
  return invalidText
    ? invalidParams(sim, `${invalidText[0]} must be a string of at most ${invalidText[1]} UTF-16 units`)
    : null;
}
