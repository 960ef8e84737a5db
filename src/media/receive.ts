import { refuse } from "#core/errors.ts";
import { agrees, readContentType } from "./content-types.ts";
import { sniff } from "./formats/sniff.ts";
import type { UploadServices } from "./open-upload.ts";
import type { UploadGrant } from "./signature.ts";
import { openPieces, SourceStopped } from "./pieces.ts";
import { stage, type Watch } from "./stage.ts";
import type { Staged } from "./staged.ts";
import { bad, type Checked, type ContentType, type Inspection, type MediaProblem } from "./types.ts";

/** The body of a PUT and what its headers say of it. */
export interface UploadBody {
  readonly stream: ReadableStream<Uint8Array> | null;
  /** Null when the sender did not say. */
  readonly statedBytes: number | null;
  readonly contentType: string | null;
}

export function refuseContent(problem: MediaProblem): never {
  refuse({ code: "validation_failed", message: problem.message, details: [problem] });
}

function typeProblem(declared: ContentType, found: ContentType): MediaProblem | null {
  return agrees(declared, found)
    ? null
    : bad(
        "media_type_mismatch",
        `the upload was started for ${declared}, and the bytes are ${found}; start a new upload for it`,
        {
          limit: declared,
          actual: found,
        },
      ).problem;
}

/** What was found, when it is what the upload was started for. */
export function agreed(declared: ContentType, found: Inspection): Checked<Inspection> {
  const problem = typeProblem(declared, found.contentType);
  return problem ? { ok: false, problem } : { ok: true, value: found };
}

function sizeProblem(expected: number, actual: number | "fewer" | "more"): MediaProblem {
  const numbers = { limit: expected, ...(typeof actual === "number" && { actual }) };
  return bad("size_mismatch", `exactly ${expected} bytes belong here, ${actual} were sent; send them again`, numbers)
    .problem;
}

function watchType(declared: ContentType): Watch<MediaProblem> {
  return {
    first(head) {
      const sniffed = sniff(head);
      return sniffed.ok ? typeProblem(declared, sniffed.value) : sniffed.problem;
    },
    grown: () => null,
  };
}

/** A later part of a file has no beginning to look at. */
const NO_WATCH: Watch<MediaProblem> = { first: () => null, grown: () => null };

/** Takes in exactly the bytes that the address was signed for, or refuses and keeps nothing. */
export async function receiveBytes(
  services: UploadServices,
  grant: UploadGrant,
  body: UploadBody,
  options: { readonly name: string; readonly holdBytes: number; readonly begins: boolean },
): Promise<{ staged: Staged; sha256: string }> {
  const said = body.contentType === null ? null : readContentType(body.contentType);
  const wrong = said && typeProblem(grant.contentType, said);
  if (wrong) {
    refuseContent(wrong);
  }
  if (!body.stream || (body.statedBytes !== null && body.statedBytes !== grant.sizeBytes)) {
    refuseContent(sizeProblem(grant.sizeBytes, body.statedBytes ?? 0));
  }
  const pieces = openPieces(body.stream);
  const incoming = { statedBytes: grant.sizeBytes, read: () => pieces.next() };
  try {
    const end = await stage(services, incoming, options.begins ? watchType(grant.contentType) : NO_WATCH, options);
    if (end.ok) {
      return end;
    }
    const { problem } = end;
    return refuseContent(
      problem === "too_short" || problem === "too_long"
        ? sizeProblem(grant.sizeBytes, SHORT_OR_LONG[problem])
        : problem,
    );
  } catch (error) {
    if (error instanceof SourceStopped) {
      return refuse({
        code: "invalid_request",
        message: "the transfer broke off; send the bytes again to the same address",
      });
    }
    throw error;
  } finally {
    pieces.close();
  }
}

const SHORT_OR_LONG = { too_short: "fewer", too_long: "more" } as const;
