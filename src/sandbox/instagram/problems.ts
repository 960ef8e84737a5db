import type { Sim } from "#sandbox/contract.ts";
import { graphError, type GraphProblem } from "#sandbox/graph.ts";

/* The official table of code and subcode pairs, as far as publishing meets it: platforms/instagram.md part 4. */

const pair = (code: number, subcode: number, message: string, userMessage: string): GraphProblem => ({
  code,
  subcode,
  message,
  userMessage,
});

export const PROBLEMS = {
  restricted: pair(
    4,
    2_207_051,
    "Application request limit reached",
    "We restrict certain activity to protect our community.",
  ),
  dailyCap: pair(
    9,
    2_207_042,
    "Maximum posts reached",
    "You reached the maximum number of posts that can be published in 24 hours.",
  ),
  containerMissing: pair(
    24,
    2_207_006,
    "The requested resource does not exist",
    "The media with this id cannot be found.",
  ),
  containerGone: pair(
    24,
    2_207_008,
    "The requested resource does not exist",
    "The media builder with this id does not exist or has expired.",
  ),
  unknownType: pair(100, 2_207_023, "Invalid parameter", "The media type is unknown."),
  carouselInvalid: pair(
    100,
    2_207_028,
    "Invalid parameter",
    "A carousel needs 2 to 10 finished items made for a carousel.",
  ),
  tooManyTags: pair(
    100,
    2_207_040,
    "Invalid parameter",
    "You cannot use more than 20 mentions or 30 hashtags in a caption.",
  ),
  trialNotAllowed: pair(100, 2_207_081, "Invalid parameter", "This account cannot post trial reels."),
  thumbOffset: pair(1, 2_207_057, "Invalid parameter", "The thumbnail offset must lie within the video."),
  notReady: pair(
    9007,
    2_207_027,
    "Media ID is not available",
    "The media is not ready for publishing, please wait for a moment.",
  ),
  expired: pair(-2, 2_207_020, "The media has expired", "The media you are trying to access has expired."),
  captionTooLong: pair(
    36_004,
    2_207_010,
    "The submitted caption is too long",
    "The caption is longer than 2200 characters.",
  ),
} as const satisfies Record<string, GraphProblem>;

export const refusal = (sim: Sim, problem: keyof typeof PROBLEMS): Response => graphError(sim, PROBLEMS[problem]);

export const invalidParam = (sim: Sim, message: string): Response =>
  graphError(sim, { code: 100, message: `(#100) ${message}` });

/** Something that is not there, or that this token may not see. */
export const invisible = (sim: Sim, id: string): Response =>
  graphError(sim, {
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    type: "GraphMethodException",
  });
