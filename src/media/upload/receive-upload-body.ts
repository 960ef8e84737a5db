import { refuse } from "#core/errors.ts";
import { isConverted, isSameFormat, parseContentType } from "#media/content-types.ts";
import { sniffReceived } from "#media/formats/sniff.ts";
import type { UploadServices } from "./find-upload.ts";
import type { UploadGrant } from "./signed-upload-url.ts";
import { openChunkReader, TransferInterrupted } from "#media/chunk-reader.ts";
import { writeStagedFile, type TransferCheck } from "#media/storage/write-staged-file.ts";
import type { StagedFile } from "#media/storage/staged-file.ts";
import { checkFailed, type CheckResult, type Inspection, type MediaProblem, type ReceivedType } from "#media/types.ts";

export interface UploadBody {
  readonly stream: ReadableStream<Uint8Array> | null;
  /** The length from the `Content-Length` header; null without the header. */
  readonly contentLength: number | null;
  readonly contentType: string | null;
}

export function refuseContent(problem: MediaProblem): never {
  refuse({ code: "validation_failed", message: problem.message, details: [problem] });
}

function typeProblem(declared: ReceivedType, detected: ReceivedType): MediaProblem | null {
  return isSameFormat(declared, detected)
    ? null
    : checkFailed(
        "media_type_mismatch",
        `the upload was started for ${declared}, and the bytes are ${detected}; start a new upload for it`,
        {
          limit: declared,
          actual: detected,
        },
      ).problem;
}

/** Checks that a file has the type that the upload declared, or is the JPEG made from it. */
export function checkDetectedType(declared: ReceivedType, inspection: Inspection): CheckResult<Inspection> {
  const problem = typeProblem(isConverted(declared) ? "image/jpeg" : declared, inspection.contentType);
  return problem ? { ok: false, problem } : { ok: true, value: inspection };
}

function sizeProblem(expected: number, actual: number | "fewer" | "more"): MediaProblem {
  const numbers = { limit: expected, ...(typeof actual === "number" && { actual }) };
  return checkFailed(
    "size_mismatch",
    `exactly ${expected} bytes were expected, ${actual} were sent; send them again`,
    numbers,
  ).problem;
}

function typeCheck(declared: ReceivedType, canConvert: boolean): TransferCheck<MediaProblem> {
  return {
    checkHead(head) {
      const sniffed = sniffReceived(head, canConvert);
      return sniffed.ok ? typeProblem(declared, sniffed.value) : sniffed.problem;
    },
    checkSize: () => null,
  };
}

/** Checks nothing, because only the first part of a file begins with a recognizable signature. */
const NO_CHECK: TransferCheck<MediaProblem> = { checkHead: () => null, checkSize: () => null };

/** Receives exactly the bytes for which the URL was signed. Otherwise it refuses and stores nothing. */
export async function receiveUploadBody(
  services: UploadServices,
  grant: UploadGrant,
  body: UploadBody,
  options: { readonly name: string; readonly maxInMemoryBytes: number; readonly isFileStart: boolean },
): Promise<{ staged: StagedFile; sha256: string }> {
  const declaredType = body.contentType === null ? null : parseContentType(body.contentType);
  const mismatch = declaredType && typeProblem(grant.contentType, declaredType);
  if (mismatch) {
    refuseContent(mismatch);
  }
  if (!body.stream || (body.contentLength !== null && body.contentLength !== grant.sizeBytes)) {
    refuseContent(sizeProblem(grant.sizeBytes, body.contentLength ?? 0));
  }
  const reader = openChunkReader(body.stream);
  const incoming = { statedBytes: grant.sizeBytes, read: () => reader.next() };
  try {
    const result = await writeStagedFile(
      services,
      incoming,
      options.isFileStart ? typeCheck(grant.contentType, services.images !== null) : NO_CHECK,
      options,
    );
    if (result.ok) {
      return result;
    }
    const { problem } = result;
    return refuseContent(
      problem === "too_short" || problem === "too_long"
        ? sizeProblem(grant.sizeBytes, SHORT_OR_LONG[problem])
        : problem,
    );
  } catch (error) {
    if (error instanceof TransferInterrupted) {
      return refuse({
        code: "invalid_request",
        message: "the transfer was interrupted; send the bytes again to the same URL",
      });
    }
    throw error;
  } finally {
    reader.close();
  }
}

const SHORT_OR_LONG = { too_short: "fewer", too_long: "more" } as const;
