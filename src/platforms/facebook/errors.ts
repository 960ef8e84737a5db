import { type PlatformResponse, parseBody } from "#platforms/response.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, sanitizeMessage, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { refusalMessage, type GraphError, graphError, graphFault, graphSource } from "#platforms/graph-api.ts";
import { UploadErrorBody } from "./answers.ts";

export const DUPLICATE_CODE = "duplicate_content";

const MEDIA_REASONS: Readonly<Record<number, string>> = {
  352: "the video format is not supported",
  6000: "there is a problem with the file",
  1_363_022: "the video is too small",
  1_363_023: "the video is too large",
  1_363_031: "the file is not a video",
  1_363_040: "the aspect ratio of the video is not supported",
  1_363_127: "the resolution of the video is not supported",
  1_363_128: "the duration of the video is not supported",
  1_363_129: "the frame rate of the video is not supported",
  1_366_046: "the photo is too large or of an unsupported format",
  2_061_006: "the address of the media is not accepted",
  2_069_019: "the file is not valid",
};

const CONTENT_REASONS: Readonly<Record<number, string>> = {
  1_346_003: "the content goes against Facebook's policies",
  1_404_102: "the content goes against Facebook's policies",
  1_609_005: "the link in the text could not be read; check that everybody can open it, or leave it out",
  1_609_008: "Facebook does not accept links to itself here",
};

/** Whether an error has a number as its code or its subcode. Facebook sends the same number in either member. */
function hasCode(error: GraphError, code: number): boolean {
  return error.code === code || error.subcode === code;
}

function findReason(error: GraphError, table: Readonly<Record<number, string>>): string | undefined {
  return table[error.subcode ?? -1] ?? table[error.code];
}

export function toFault(response: PlatformResponse): Fault {
  const error = graphError(response);
  if (error === null) {
    return uploadFault(response) ?? graphFault(response);
  }
  return facebookFault(error, graphSource(response, error)) ?? graphFault(response);
}

function facebookFault(error: GraphError, source: FaultSource): Fault | null {
  if (UPLOAD_RETRY_CODES.some((code) => hasCode(error, code))) {
    return temporary("Facebook did not receive the part of the video.", source);
  }
  const media = findReason(error, MEDIA_REASONS);
  if (media) {
    return rejected(`Facebook: ${media}.`, source, { code: "media_invalid", category: "media" });
  }
  const content = findReason(error, CONTENT_REASONS);
  if (content) {
    return rejected(`Facebook: ${content}.`, source, { code: "content_refused" });
  }
  if (isDuplicate(error)) {
    return rejected("Facebook refused the post: the Page has just published the same post.", source, {
      code: DUPLICATE_CODE,
      category: "duplicate",
    });
  }
  if (hasCode(error, 1_404_078)) {
    return reconnect(
      "Facebook requires this user to be authorized for the Page first. Open the Page and follow the steps shown there.",
      source,
      {
        code: "page_authorization",
        category: "permission",
      },
    );
  }
  if (hasCode(error, 4_854_002)) {
    return reconnect(
      "Facebook requires this user to confirm their identity. Open Facebook and follow the steps shown there.",
      source,
      {
        code: "identity_unconfirmed",
        category: "permission",
      },
    );
  }
  if (hasCode(error, 1_404_112)) {
    return rejected("Facebook limits what this account may do.", source, {
      code: "account_restricted",
      category: "permission",
    });
  }
  if (hasCode(error, 1_390_008)) {
    return rateLimited("The Page posts too fast.", source);
  }
  if (hasCode(error, 1_363_047) || hasCode(error, 1_609_010) || (error.code === 100 && error.subcode === 33)) {
    return temporary("Facebook could not handle the call.", source);
  }
  return error.code === 100 ? rejected(refusalMessage("Facebook refused the post", error), source) : null;
}

/** Whether an error says that the post is a duplicate. This can mean that an earlier call has arrived. */
function isDuplicate(error: GraphError): boolean {
  return (
    hasCode(error, 506) ||
    hasCode(error, 1_366_051) ||
    (error.code === 368 && /already (been )?posted/i.test(error.message))
  );
}

/**
 * Error codes of video uploads after which a retry can succeed:
 * developers.facebook.com/docs/video-api/reference/error-codes.
 */
const UPLOAD_RETRY_CODES = [1_363_019, 1_363_030, 1_363_033];

/** Whether Facebook refused a video part because it does not start at the next offset. */
export function isWrongOffset(response: PlatformResponse): boolean {
  return graphError(response)?.subcode === 1_363_037;
}

/**
 * Whether Facebook no longer knows the upload session. Code 100 means this in an upload, because all other parameters
 * came from Facebook itself.
 */
export function isForgottenSession(response: PlatformResponse): boolean {
  return graphError(response)?.code === 100;
}

export type UploadErrorKind = "parameters" | "offset" | "other";

/** The kind of an upload host's error. Null if the body contains no error. */
export function classifyUploadError(response: PlatformResponse): UploadErrorKind | null {
  const uploadError = parseBody(UploadErrorBody, response)?.debug_info;
  if (!uploadError) {
    return null;
  }
  switch (uploadError.type) {
    case "ParameterValidationError":
      return "parameters";
    case "OffsetInvalidError":
    case "PartialRequestError":
      return "offset";
    default:
      return "other";
  }
}

function uploadFault(response: PlatformResponse): Fault | null {
  const uploadError = parseBody(UploadErrorBody, response)?.debug_info;
  if (!uploadError) {
    return null;
  }
  const source = { httpStatus: response.status, platformCode: uploadError.type ?? null };
  if (uploadError.type === "NotAuthorizedError") {
    return reconnect("Facebook no longer accepts this login. Connect the Page again.", source);
  }
  const reason = sanitizeMessage(uploadError.message ?? "");
  const message = reason === "" ? "Facebook refused the upload." : `Facebook refused the upload: ${reason}`;
  return uploadError.retriable
    ? temporary(message, source)
    : rejected(message, source, { code: "media_invalid", category: "media" });
}

/** The fault of a video whose processing failed. Its codes are those of the Graph API's errors. */
export function videoFault(code: number | null, message: string): Fault {
  const source = { httpStatus: 200, platformCode: code === null ? null : String(code) };
  const knownReason = code === null ? undefined : MEDIA_REASONS[code];
  const reason = knownReason ?? sanitizeMessage(message);
  return rejected(
    reason === "" ? "Facebook could not process the video." : `Facebook could not process the video: ${reason}`,
    source,
    { code: "media_invalid", category: "media" },
  );
}
