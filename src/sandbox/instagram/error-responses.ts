import type { SimulatorContext } from "#sandbox/contract.ts";
import type { JsonObject } from "#core/json.ts";
import {
  graphError,
  type GraphErrorFields,
  type Params,
  selectFields,
  textParam,
  unknownField,
} from "#sandbox/graph-api.ts";

/* The documented pairs of code and subcode that publishing can return (platforms/instagram.md part 4). */

const errorFields = (code: number, subcode: number, message: string, userMessage: string): GraphErrorFields => ({
  code,
  subcode,
  message,
  userMessage,
});

export const GRAPH_ERRORS = {
  restricted: errorFields(
    4,
    2_207_051,
    "Application request limit reached",
    "We restrict certain activity to protect our community.",
  ),
  dailyCap: errorFields(
    9,
    2_207_042,
    "Maximum posts reached",
    "You reached the maximum number of posts that can be published in 24 hours.",
  ),
  containerMissing: errorFields(
    24,
    2_207_006,
    "The requested resource does not exist",
    "The media with this id cannot be found.",
  ),
  containerGone: errorFields(
    24,
    2_207_008,
    "The requested resource does not exist",
    "The media builder with this id does not exist or has expired.",
  ),
  /**
   * The error for a story of an account that is no business account: stories "are only available to business accounts"
   * (Meta's page on the login through Pages, 3 March 2025; seen by geoff-maddock/events-tracker#1154). The words are
   * those that gitroomhq/postiz-app handles in instagram.provider.ts.
   */
  notBusiness: { code: 10, message: "(#10) The user is not an Instagram Business" },
  unknownType: errorFields(100, 2_207_023, "Invalid parameter", "The media type is unknown."),
  carouselInvalid: errorFields(
    100,
    2_207_028,
    "Invalid parameter",
    "A carousel needs 2 to 10 finished items made for a carousel.",
  ),
  tooManyTags: errorFields(
    100,
    2_207_040,
    "Invalid parameter",
    "You cannot use more than 20 mentions or 30 hashtags in a caption.",
  ),
  trialNotAllowed: errorFields(100, 2_207_081, "Invalid parameter", "This account cannot post trial reels."),
  thumbOffset: errorFields(1, 2_207_057, "Invalid parameter", "The thumbnail offset must lie within the video."),
  notReady: errorFields(
    9007,
    2_207_027,
    "Media ID is not available",
    "The media is not ready for publishing, please wait for a moment.",
  ),
  expired: errorFields(-2, 2_207_020, "The media has expired", "The media you are trying to access has expired."),
  captionTooLong: errorFields(
    36_004,
    2_207_010,
    "The submitted caption is too long",
    "The caption is longer than 2200 characters.",
  ),
} as const satisfies Record<string, GraphErrorFields>;

export const errorResponse = (sim: SimulatorContext, name: keyof typeof GRAPH_ERRORS): Response =>
  graphError(sim, GRAPH_ERRORS[name]);

export const invalidParameter = (sim: SimulatorContext, message: string): Response =>
  graphError(sim, { code: 100, message: `(#100) ${message}` });

/** The selected fields of an object. Selecting a field that the node does not have is an error. */
export function selectedFields(
  sim: SimulatorContext,
  nodeType: string,
  object: JsonObject,
  params: Params,
  defaultFields = "id",
): Response {
  const fields = textParam(params, "fields") ?? defaultFields;
  const unknown = unknownField(object, fields);
  return unknown === undefined
    ? Response.json(selectFields(object, fields))
    : invalidParameter(sim, `Tried accessing nonexisting field (${unknown}) on node type (${nodeType})`);
}

/** The error for an object that does not exist or that the token may not read. */
export const objectNotFound = (sim: SimulatorContext, id: string): Response =>
  graphError(sim, {
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    type: "GraphMethodException",
  });
