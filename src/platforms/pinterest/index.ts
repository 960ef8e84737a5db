import { SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { aheadOf } from "#platforms/media-rules.ts";
import { boards, inspect } from "./boards.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { hosts } from "./hosts.ts";
import { limits } from "./limits.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

/** What an upload gets through even on a poor day. */
const BYTES_PER_SECOND = 5_000_000;

export const pinterest = defineAdapter({
  platform: "pinterest",
  hosts,
  limits,
  options,
  connect,
  validate,
  inspect,
  boards,
  // Only a video has anything to prepare, and it goes up once for every board.
  prepareAheadMs: ({ media }) => {
    const video = media.find((item) => item.type === "video");
    return video ? aheadOf(media) + Math.ceil(video.sizeBytes / BYTES_PER_SECOND) * SECOND : 0;
  },
  prepare,
  commit,
  verify,
});
