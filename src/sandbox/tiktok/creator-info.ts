import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/grants.ts";
import { envelope, invalid, ok } from "./answers.ts";
import { type Creator, privacyOptions } from "./creators.ts";
import { dayRefusal, type Publish } from "./publishes.ts";

/* What a creator may do now, and what a post that asks for something else earns: platforms/tiktok.md 2.1 and part 4. */

const VIDEO_TITLE_MAX = 2200;
const PHOTO_TITLE_MAX = 90;
const DESCRIPTION_MAX = 4000;
const SWITCHES = [
  "disable_comment",
  "disable_duet",
  "disable_stitch",
  "brand_content_toggle",
  "brand_organic_toggle",
  "is_aigc",
  "auto_add_music",
];

export function creatorInfo(sim: Sim, session: Token, creator: Creator): Response {
  const word = sim.settings.extra["creator_error"];
  // These failures come with status 200 on purpose.
  if (typeof word === "string") {
    return envelope(sim, 200, word, "The creator cannot post now.");
  }
  if (dayRefusal(sim, session.login, false)) {
    return envelope(sim, 200, "spam_risk_too_many_posts", "Daily post cap is reached for the current user.");
  }
  return ok(sim, {
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

/** What an unaudited app, a wrong privacy level or a too long text earns; null when the post may go on. */
export function infoRefusal(sim: Sim, creator: Creator, info: JsonObject, kind: Publish["kind"]): Response | null {
  const audited = (sim.settings.extra["audited"] ?? creator.audited) === true;
  if (!audited && !creator.isPrivate) {
    return envelope(
      sim,
      403,
      "unaudited_client_can_only_post_to_private_accounts",
      "Unaudited clients can only post to private accounts.",
    );
  }
  const level = info["privacy_level"];
  const isOffered = typeof level === "string" && privacyOptions(creator).includes(level);
  if (!isOffered || (!audited && level !== "SELF_ONLY")) {
    return envelope(
      sim,
      403,
      "privacy_level_option_mismatch",
      "The privacy level is not one of the creator's options.",
    );
  }
  const stray = SWITCHES.find((name) => name in info && typeof info[name] !== "boolean");
  if (stray !== undefined) {
    return invalid(sim, `${stray} must be a boolean`);
  }
  const longest = { title: kind === "video" ? VIDEO_TITLE_MAX : PHOTO_TITLE_MAX, description: DESCRIPTION_MAX };
  const wrong = Object.entries(longest).find(([name, max]) => {
    const text = info[name] ?? "";
    return typeof text !== "string" || text.length > max;
  });
  return wrong ? invalid(sim, `${wrong[0]} takes ${wrong[1]} UTF-16 units`) : null;
}
