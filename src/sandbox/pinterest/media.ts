import { recordTable } from "#sandbox/record-table.ts";
import { toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { inspectMedia } from "#sandbox/inspect-media.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { jsonResponse, errorResponse, invalidParameters } from "./responses.ts";

/* Video uploads: registration, a form post to S3, then processing (platforms/pinterest.md part 2). */

const UPLOAD_URL = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/";
const MIN_DURATION_SECONDS = 4;
const MAX_DURATION_SECONDS = 15 * 60;
const MAX_PREFIX_BYTES = 256 * 1024;
const POLICY_LIFETIME_MS = 3_600_000;

export interface Media {
  readonly login: string;
  readonly upload: Readonly<Record<string, string>>;
  readonly registeredAt: number;
  /** The time when processing ends; null until the bytes have arrived. */
  readonly readyAt: number | null;
  readonly sha256: string | null;
  readonly failure: string | null;
}

const MEDIA = recordTable<Media>("media:");

export const findMedia = (sim: SimulatorContext, id: string): Media | undefined => MEDIA.find(sim, id);

export function mediaStatus(media: Media, now: number): string {
  if (media.readyAt === null) {
    return "registered";
  }
  if (media.readyAt > now) {
    return "processing";
  }
  return media.failure === null ? "succeeded" : "failed";
}

/** Handles `POST /v5/media`. */
export function registerMedia(sim: SimulatorContext, token: Token, body: JsonObject): Response {
  if (body["media_type"] !== "video") {
    return invalidParameters(sim, "'media_type' is not one of ['video']");
  }
  const id = sim.newId(12);
  const upload = {
    "x-amz-date": toIsoInstant(sim.now()),
    "x-amz-signature": sim.newSecret("sig"),
    "x-amz-security-token": sim.newSecret("tok"),
    "x-amz-algorithm": "AWS4-HMAC-SHA256",
    key: `uploads/${id}`,
    policy: sim.newSecret("pol"),
    "x-amz-credential": "sandbox/aws4_request",
    "Content-Type": "multipart/form-data",
  };
  MEDIA.save(sim, id, {
    login: token.login,
    upload,
    registeredAt: sim.now(),
    readyAt: null,
    sha256: null,
    failure: null,
  });
  return jsonResponse(sim, 201, {
    media_id: id,
    media_type: "video",
    upload_url: UPLOAD_URL,
    upload_parameters: upload,
  });
}

/** Handles `GET /v5/media/{id}`. */
export function readMedia(sim: SimulatorContext, token: Token, id: string): Response {
  const media = findMedia(sim, id);
  if (media?.login !== token.login) {
    return errorResponse(sim, 404, 1, "Media not found.");
  }
  const status = mediaStatus(media, sim.now());
  return jsonResponse(sim, 200, {
    media_id: id,
    media_type: "video",
    status,
    ...(status === "failed" && { failure_code: 1003 }),
  });
}

// ---------------------------------------------------------------- the form post

export const s3Error = (status: number, code: string): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`, {
    status,
    headers: { "content-type": "application/xml" },
  });

/** Decodes one character per byte, so that offsets in the text are offsets in the bytes. */
function decodeLatin1(bytes: Uint8Array): string {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += 4096) {
    text += String.fromCharCode(...bytes.subarray(offset, offset + 4096));
  }
  return text;
}

interface FormPrefix {
  readonly fields: ReadonlyMap<string, string>;
  /** The first bytes of the file, which arrived together with the prefix. */
  readonly fileStart: Uint8Array<ArrayBuffer>;
  /** The length in bytes of everything before the file. */
  readonly length: number;
}

/** Reads everything before the bytes of the `file` field; null without such a field. */
async function readFormPrefix(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<FormPrefix | null> {
  let bytes = new Uint8Array();
  while (bytes.length <= MAX_PREFIX_BYTES) {
    const { value, done } = await reader.read();
    if (done) {
      return null;
    }
    const combined = new Uint8Array(bytes.length + value.length);
    combined.set(bytes);
    combined.set(value, bytes.length);
    bytes = combined;
    const file = /name="file"[^]*?\r\n\r\n/.exec(decodeLatin1(bytes));
    if (file) {
      const length = file.index + file[0].length;
      const fields = new Map<string, string>();
      const text = new TextDecoder().decode(bytes.subarray(0, length));
      for (const { groups } of text.matchAll(/name="(?<name>[^"]+)"\r\n(?:[^\r\n]+\r\n)*\r\n(?<value>[^]*?)\r\n--/g)) {
        fields.set(groups?.["name"] ?? "", groups?.["value"] ?? "");
      }
      return { fields, fileStart: bytes.slice(length), length };
    }
  }
  return null;
}

/** Stores the rest of the form and returns its last two bytes. */
async function storeFormRemainder(
  sim: SimulatorContext,
  blob: string,
  { fileStart: rest, length }: FormPrefix,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  total: number,
): Promise<Uint8Array> {
  const fixed = new FixedLengthStream(total - length);
  const stored = sim.blobs.put(blob, fixed.readable);
  const writer = fixed.writable.getWriter();
  let last = new Uint8Array();
  for (let chunk: Uint8Array | undefined = rest; chunk; chunk = (await reader.read()).value) {
    await writer.write(chunk);
    last = Uint8Array.of(...last, ...chunk.slice(-2)).slice(-2);
  }
  await writer.close();
  await stored;
  return last;
}

function findProcessingFailure(sim: SimulatorContext, head: Uint8Array): string | null {
  const { type, durationSeconds } = inspectMedia(head);
  const isShort = durationSeconds !== null && durationSeconds < MIN_DURATION_SECONDS;
  const isLong = durationSeconds !== null && durationSeconds > MAX_DURATION_SECONDS;
  const isForced = sim.settings.extra["fail_processing"] === true;
  return isForced || type !== "video/mp4" || isShort || isLong ? "the video cannot be processed" : null;
}

/**
 * Receives the form post to S3. It requires every given field, the file as the last field, a content length, and no
 * token.
 */
export async function receiveFormUpload(request: Request, sim: SimulatorContext): Promise<Response> {
  const total = Number(request.headers.get("content-length") ?? "NaN");
  if (!Number.isSafeInteger(total)) {
    return s3Error(411, "MissingContentLength");
  }
  if (request.headers.has("authorization")) {
    return s3Error(400, "InvalidRequest");
  }
  const type = request.headers.get("content-type") ?? "";
  const boundary = /^multipart\/form-data;.*boundary="?(?<boundary>[^";]+)"?/.exec(type)?.groups?.["boundary"];
  const reader = request.body?.getReader();
  const prefix = boundary !== undefined && reader ? await readFormPrefix(reader) : null;
  if (boundary === undefined || !reader || !prefix) {
    return s3Error(400, "MalformedPOSTRequest");
  }
  const id = (prefix.fields.get("key") ?? "").replace("uploads/", "");
  const media = findMedia(sim, id);
  const isAccepted =
    media?.readyAt === null &&
    media.registeredAt + POLICY_LIFETIME_MS > sim.now() &&
    Object.entries(media.upload).every(([name, value]) => prefix.fields.get(name) === value);
  if (!isAccepted) {
    return s3Error(403, "AccessDenied");
  }
  const blob = `sandbox/pinterest/${id}`;
  const last = await storeFormRemainder(sim, blob, prefix, reader, total);
  // The closing boundary may or may not end with a line break.
  const closingLength = `\r\n--${boundary}--`.length + (decodeLatin1(last) === "\r\n" ? 2 : 0);
  const file = await sim.blobs.get(blob, { range: { offset: 0, length: total - prefix.length - closingLength } });
  if (!file) {
    return s3Error(500, "InternalError");
  }
  const { sha256, head: firstBytes } = await sim.digest(file.body as ReadableStream<Uint8Array>);
  const current = findMedia(sim, id);
  if (current?.readyAt !== null) {
    return s3Error(403, "AccessDenied");
  }
  MEDIA.save(sim, id, {
    ...current,
    upload: { ...current.upload },
    readyAt: sim.now() + sim.settings.processing_ms,
    sha256,
    failure: findProcessingFailure(sim, firstBytes),
  });
  return new Response(null, { status: 204 });
}
