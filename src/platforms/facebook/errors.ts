import { type Answer, read } from "#platforms/answer.ts";
import type { Fault } from "#platforms/contract.ts";
import { type FaultSource, quoted, rateLimited, reconnect, rejected, temporary } from "#platforms/fault.ts";
import { explained, type GraphError, graphError, graphFault, graphSource } from "#platforms/graph.ts";
import { UploadTrouble } from "./answers.ts";

export const DUPLICATE = "duplicate_content";

const MEDIA: Readonly<Record<number, string>> = {
  352: "the video format is not supported",
  6000: "there is a problem with the file",
  1_363_040: "the aspect ratio of the video is not supported",
  1_363_127: "the resolution of the video is not supported",
  1_363_128: "the duration of the video is not supported",
  1_363_129: "the frame rate of the video is not supported",
  1_366_046: "the photo is too large or of an unsupported format",
  2_061_006: "the address of the media is not accepted",
  2_069_019: "the file is not valid",
};

const CONTENT: Readonly<Record<number, string>> = {
  1_346_003: "the content goes against Facebook's policies",
  1_404_102: "the content goes against Facebook's policies",
  1_609_005: "the link could not be read",
  1_609_008: "Facebook does not take links to itself here",
};

/** Stands in the code of some answers and in the subcode of others. */
function has(error: GraphError, code: number): boolean {
  return error.code === code || error.subcode === code;
}

function known(error: GraphError, table: Readonly<Record<number, string>>): string | undefined {
  return table[error.subcode ?? -1] ?? table[error.code];
}

export function toFault(answer: Answer): Fault {
  const error = graphError(answer);
  if (error === null) {
    return uploadFault(answer) ?? graphFault(answer);
  }
  return special(error, graphSource(answer, error)) ?? graphFault(answer);
}

function special(error: GraphError, source: FaultSource): Fault | null {
  const media = known(error, MEDIA);
  if (media) {
    return rejected(`Facebook: ${media}.`, source, { code: "media_invalid", category: "media" });
  }
  const content = known(error, CONTENT);
  if (content) {
    return rejected(`Facebook: ${content}.`, source, { code: "content_refused" });
  }
  if (isDuplicate(error)) {
    return rejected("Facebook refused the post: the Page has just posted the same.", source, {
      code: DUPLICATE,
      category: "duplicate",
    });
  }
  if (has(error, 1_404_078)) {
    return reconnect(
      "Facebook wants this person to be authorized for the Page first. Open the Page and follow its steps.",
      source,
      {
        code: "page_authorization",
        category: "permission",
      },
    );
  }
  if (has(error, 4_854_002)) {
    return reconnect(
      "Facebook wants this person to confirm their identity. Open Facebook and follow its steps.",
      source,
      {
        code: "identity_unconfirmed",
        category: "permission",
      },
    );
  }
  if (has(error, 1_404_112)) {
    return rejected("Facebook limits what this account may do.", source, {
      code: "account_restricted",
      category: "permission",
    });
  }
  if (has(error, 1_390_008)) {
    return rateLimited("The Page posts too fast.", source);
  }
  if (has(error, 1_363_047) || has(error, 1_609_010) || (error.code === 100 && error.subcode === 33)) {
    return temporary("Facebook could not handle the call.", source);
  }
  return error.code === 100 ? rejected(explained("Facebook refused the post", error), source) : null;
}

/** What may be the trace of an earlier call that arrived. */
function isDuplicate(error: GraphError): boolean {
  return (
    has(error, 506) || has(error, 1_366_051) || (error.code === 368 && /already (been )?posted/i.test(error.message))
  );
}

export type UploadProblem = "parameters" | "offset" | "other";

/** What the upload host complains about; null when the answer is not of its shape. */
export function uploadProblem(answer: Answer): UploadProblem | null {
  const trouble = read(UploadTrouble, answer)?.debug_info;
  if (!trouble) {
    return null;
  }
  switch (trouble.type) {
    case "ParameterValidationError":
      return "parameters";
    case "OffsetInvalidError":
    case "PartialRequestError":
      return "offset";
    default:
      return "other";
  }
}

function uploadFault(answer: Answer): Fault | null {
  const trouble = read(UploadTrouble, answer)?.debug_info;
  if (!trouble) {
    return null;
  }
  const source = { httpStatus: answer.status, platformCode: trouble.type ?? null };
  if (trouble.type === "NotAuthorizedError") {
    return reconnect("Facebook no longer accepts this login. Connect the Page again.", source);
  }
  const words = quoted(trouble.message ?? "");
  const message = words === "" ? "Facebook refused the upload." : `Facebook refused the upload: ${words}`;
  return trouble.retriable
    ? temporary(message, source)
    : rejected(message, source, { code: "media_invalid", category: "media" });
}

/** A phase of a video that went wrong, in the code the Graph uses for it elsewhere. */
export function videoFault(code: number | null, message: string): Fault {
  const source = { httpStatus: 200, platformCode: code === null ? null : String(code) };
  const media = code === null ? undefined : MEDIA[code];
  const words = media ?? quoted(message);
  return rejected(
    words === "" ? "Facebook could not process the video." : `Facebook could not process the video: ${words}`,
    source,
    { code: "media_invalid", category: "media" },
  );
}
