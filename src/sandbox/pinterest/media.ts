import { toInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { lookAt } from "#sandbox/bytes.ts";
import type { Sim } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/grants.ts";
import { answer, fail, invalid } from "./answers.ts";

/* Videos: a registration, a form post to S3, then processing: platforms/pinterest.md part 2. */

const UPLOAD_URL = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/";
const SECONDS_MIN = 4;
const SECONDS_MAX = 15 * 60;
const HEAD_MAX_BYTES = 256 * 1024;
const POLICY_MS = 3_600_000;

export interface Media {
  readonly login: string;
  readonly upload: Readonly<Record<string, string>>;
  readonly registeredAt: number;
  /** When processing ends; null while there are no bytes. */
  readonly readyAt: number | null;
  readonly sha256: string | null;
  readonly failure: string | null;
}

export const findMedia = (sim: Sim, id: string): Media | undefined => sim.store.get(`media:${id}`) as Media | undefined;

export function statusOf(media: Media, now: number): string {
  if (media.readyAt === null) {
    return "registered";
  }
  if (media.readyAt > now) {
    return "processing";
  }
  return media.failure === null ? "succeeded" : "failed";
}

/** POST /v5/media */
export function register(sim: Sim, session: Token, body: JsonObject): Response {
  if (body["media_type"] !== "video") {
    return invalid(sim, "'media_type' is not one of ['video']");
  }
  const id = sim.id(12);
  const upload = {
    "x-amz-date": toInstant(sim.now()),
    "x-amz-signature": sim.secret("sig"),
    "x-amz-security-token": sim.secret("tok"),
    "x-amz-algorithm": "AWS4-HMAC-SHA256",
    key: `uploads/${id}`,
    policy: sim.secret("pol"),
    "x-amz-credential": "sandbox/aws4_request",
    "Content-Type": "multipart/form-data",
  };
  sim.store.put(`media:${id}`, {
    login: session.login,
    upload,
    registeredAt: sim.now(),
    readyAt: null,
    sha256: null,
    failure: null,
  });
  return answer(sim, 201, { media_id: id, media_type: "video", upload_url: UPLOAD_URL, upload_parameters: upload });
}

/** GET /v5/media/{id} */
export function readMedia(sim: Sim, session: Token, id: string): Response {
  const media = findMedia(sim, id);
  if (media?.login !== session.login) {
    return fail(sim, 404, 1, "Media not found.");
  }
  const status = statusOf(media, sim.now());
  return answer(sim, 200, {
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

/** One character a byte, so that offsets in the text are offsets in the bytes. */
function asciiOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return text;
}

interface FormHead {
  readonly fields: ReadonlyMap<string, string>;
  /** Bytes of the file that were read already. */
  readonly rest: Uint8Array<ArrayBuffer>;
  /** How long everything before the file was. */
  readonly length: number;
}

/** Everything up to the bytes of the `file` field; null when there is none. */
async function readHead(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<FormHead | null> {
  let head = new Uint8Array();
  while (head.length <= HEAD_MAX_BYTES) {
    const { value, done } = await reader.read();
    if (done) {
      return null;
    }
    const joined = new Uint8Array(head.length + value.length);
    joined.set(head);
    joined.set(value, head.length);
    head = joined;
    const file = /name="file"[^]*?\r\n\r\n/.exec(asciiOf(head));
    if (file) {
      const length = file.index + file[0].length;
      const fields = new Map<string, string>();
      const text = new TextDecoder().decode(head.subarray(0, length));
      for (const { groups } of text.matchAll(/name="(?<name>[^"]+)"\r\n(?:[^\r\n]+\r\n)*\r\n(?<value>[^]*?)\r\n--/g)) {
        fields.set(groups?.["name"] ?? "", groups?.["value"] ?? "");
      }
      return { fields, rest: head.slice(length), length };
    }
  }
  return null;
}

/** Stores what is left of the form; the last two bytes of it. */
async function storeRest(
  sim: Sim,
  blob: string,
  { rest, length }: FormHead,
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

function failureIn(sim: Sim, head: Uint8Array): string | null {
  const { type, durationSeconds } = lookAt(head);
  const isShort = durationSeconds !== null && durationSeconds < SECONDS_MIN;
  const isLong = durationSeconds !== null && durationSeconds > SECONDS_MAX;
  const isChosen = sim.settings.extra["fail_processing"] === true;
  return isChosen || type !== "video/mp4" || isShort || isLong ? "the video cannot be used" : null;
}

/** The post to S3: all fields as they were given, the file last, a length, and no token. */
export async function receiveForm(request: Request, sim: Sim): Promise<Response> {
  const total = Number(request.headers.get("content-length") ?? "NaN");
  if (!Number.isSafeInteger(total)) {
    return s3Error(411, "MissingContentLength");
  }
  if (request.headers.has("authorization")) {
    return s3Error(400, "InvalidRequest");
  }
  const type = request.headers.get("content-type") ?? "";
  const boundary = /^multipart\/form-data;.*boundary="?(?<mark>[^";]+)"?/.exec(type)?.groups?.["mark"];
  const reader = request.body?.getReader();
  const head = boundary !== undefined && reader ? await readHead(reader) : null;
  if (boundary === undefined || !reader || !head) {
    return s3Error(400, "MalformedPOSTRequest");
  }
  const id = (head.fields.get("key") ?? "").replace("uploads/", "");
  const media = findMedia(sim, id);
  const fits =
    media?.readyAt === null &&
    media.registeredAt + POLICY_MS > sim.now() &&
    Object.entries(media.upload).every(([name, value]) => head.fields.get(name) === value);
  if (!fits) {
    return s3Error(403, "AccessDenied");
  }
  const blob = `sandbox/pinterest/${id}`;
  const last = await storeRest(sim, blob, head, reader, total);
  // The closing mark may or may not end with a line break.
  const tail = `\r\n--${boundary}--`.length + (asciiOf(last) === "\r\n" ? 2 : 0);
  const file = await sim.blobs.get(blob, { range: { offset: 0, length: total - head.length - tail } });
  if (!file) {
    return s3Error(500, "InternalError");
  }
  const { sha256, head: first } = await sim.digest(file.body as ReadableStream<Uint8Array>);
  const now = findMedia(sim, id);
  if (now?.readyAt !== null) {
    return s3Error(403, "AccessDenied");
  }
  sim.store.put(`media:${id}`, {
    ...now,
    upload: { ...now.upload },
    readyAt: sim.now() + sim.settings.processing_ms,
    sha256,
    failure: failureIn(sim, first),
  });
  return new Response(null, { status: 204 });
}
