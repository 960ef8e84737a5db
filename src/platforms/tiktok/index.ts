import { SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { aheadOf } from "#platforms/media-rules.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { inspect } from "./creator.ts";
import { hosts } from "./hosts.ts";
import { AHEAD_MAX_MS, limits } from "./limits.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

/** What an upload gets through even on a poor day. */
const BYTES_PER_SECOND = 2_000_000;

export const tiktok = defineAdapter({
  platform: "tiktok",
  hosts,
  limits,
  options,
  connect,
  validate,
  inspect,
  prepareAheadMs: (job) =>
    Math.min(
      AHEAD_MAX_MS,
      aheadOf(job.media) +
        Math.ceil(
          job.media.reduce((sum, media) => sum + (media.type === "video" ? media.sizeBytes : 0), 0) / BYTES_PER_SECOND,
        ) *
          SECOND,
    ),
  prepare,
  commit,
  verify,
});
