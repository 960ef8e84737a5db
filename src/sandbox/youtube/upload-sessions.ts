import { recordTable } from "#sandbox/record-table.ts";
import { DAY, toIsoInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { nextSerialNumber } from "#sandbox/serial-number.ts";
import { insufficientScopes, errorResponse } from "./error-responses.ts";
import { channelsOf } from "./channels.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { chargeUpload } from "./quota.ts";
import { becomesWatchable, findVideo, hasAnyScope, saveVideo, uploadedResource, type Video } from "./videos.ts";

/* Resumable uploads: platforms/youtube.md 2.1 (session) and 2.2 (chunks). */

const UPLOAD_SCOPES = ["youtube.upload", "youtube", "youtube.force-ssl"];
const HOST = "www.googleapis.com";
const CHUNK_MULTIPLE_BYTES = 262_144;
const SESSION_LIFETIME_MS = 7 * DAY;
const MAX_VIDEO_BYTES = 256 * 1024 ** 3;

interface UploadSession {
  readonly id: string;
  readonly login: string;
  readonly channel: string;
  readonly metadata: Metadata;
  /** Whether subscribers are notified: `notifySubscribers` of the call. */
  readonly notifies: boolean;
  readonly totalBytes: number;
  readonly stored: number;
  readonly chunks: number;
  readonly expiresAt: number;
  /** Whether the setting `busy_chunk` has already taken effect. */
  readonly wasBusy: boolean;
  readonly videoId: string | null;
}

const SESSIONS = recordTable<UploadSession>("session:");

function saveSession(sim: SimulatorContext, session: UploadSession): void {
  SESSIONS.save(sim, session.id, { ...session, metadata: { ...session.metadata } });
}

const findSession = (sim: SimulatorContext, id: string): UploadSession | undefined => SESSIONS.find(sim, id);

/** POST /upload/youtube/v3/videos?uploadType=resumable */
export async function startSession(request: Request, url: URL, sim: SimulatorContext, token: Token): Promise<Response> {
  if (!hasAnyScope(token, UPLOAD_SCOPES)) {
    return insufficientScopes();
  }
  if (url.searchParams.get("uploadType") !== "resumable") {
    return errorResponse(400, "mediaBodyRequired", "Only uploadType=resumable is simulated.");
  }
  let body: JsonObject;
  try {
    body = { ...(JSON.parse(await request.text()) as JsonObject) };
  } catch {
    return errorResponse(400, "parseError", "Parse Error", "global");
  }
  const part = url.searchParams.get("part") ?? "";
  const metadata = readMetadata(body, part.split(","));
  if (metadata instanceof Response) {
    return metadata;
  }
  const [channel] = channelsOf(token.login);
  if (!channel) {
    return errorResponse(401, "youtubeSignupRequired", "The user has not signed up for YouTube.", "youtube.header");
  }
  const totalBytes = Number(request.headers.get("x-upload-content-length"));
  const contentType = request.headers.get("x-upload-content-type") ?? "";
  if (
    !Number.isSafeInteger(totalBytes) ||
    totalBytes <= 0 ||
    !/^(?:video\/|application\/octet-stream)/.test(contentType)
  ) {
    return errorResponse(400, "mediaBodyRequired", "The request does not include the video content.");
  }
  if (totalBytes > MAX_VIDEO_BYTES) {
    return errorResponse(400, "invalidVideoMetadata", "The video is larger than 256 GB.");
  }
  const quotaError = chargeUpload(sim, channel.id);
  if (quotaError) {
    return quotaError;
  }
  const started: UploadSession = {
    id: sim.newSecret("AD"),
    login: token.login,
    channel: channel.id,
    metadata,
    notifies: url.searchParams.get("notifySubscribers") !== "false",
    totalBytes,
    stored: 0,
    chunks: 0,
    expiresAt: sim.now() + SESSION_LIFETIME_MS,
    wasBusy: false,
    videoId: null,
  };
  saveSession(sim, started);
  const query = new URLSearchParams({ uploadType: "resumable", part, upload_id: started.id });
  const location = `https://${HOST}/upload/youtube/v3/videos?${query.toString()}`;
  return new Response(null, { status: 200, headers: { location } });
}

const resumeIncomplete = ({ stored }: UploadSession): Response =>
  new Response(null, { status: 308, headers: stored === 0 ? {} : { range: `bytes=0-${stored - 1}` } });

const badContent = (message: string): Response => errorResponse(400, "badContent", message, "global");

const blobKey = (id: string, chunk: number): string => `sandbox/youtube/${id}/${chunk}`;

/** The byte range of a PUT; without Content-Range the request contains the whole file. */
function readContentRange(
  request: Request,
  { totalBytes }: UploadSession,
): { readonly first: number; readonly last: number } | Response {
  const header = request.headers.get("content-range") ?? `bytes 0-${totalBytes - 1}/${totalBytes}`;
  const match = /^bytes (?<first>\d+)-(?<last>\d+)\/(?<total>\d+)$/.exec(header)?.groups;
  if (!match || Number(match["total"]) !== totalBytes || Number(match["last"]) >= totalBytes) {
    return badContent("Content-Range does not match the declared length");
  }
  const range = { first: Number(match["first"]), last: Number(match["last"]) };
  return request.headers.get("content-length") === String(range.last - range.first + 1)
    ? range
    : badContent("Content-Length does not match Content-Range");
}

/** Stores the first `length` bytes of a body; reads and discards the rest. */
async function storeChunk(
  sim: SimulatorContext,
  name: string,
  body: ReadableStream<Uint8Array>,
  length: number,
): Promise<void> {
  const fixed = new FixedLengthStream(length);
  const stored = sim.blobs.put(name, fixed.readable);
  const writer = fixed.writable.getWriter();
  let remaining = length;
  for await (const chunk of body) {
    const part = chunk.subarray(0, remaining);
    remaining -= part.length;
    if (part.length > 0) {
      await writer.write(part);
    }
  }
  await writer.close();
  await stored;
}

/** The video exists from here on, even if the response is lost. */
function createVideo(sim: SimulatorContext, session: UploadSession, sha256: string): Response {
  const { metadata } = session;
  const video: Video = {
    id: sim
      .newSecret("")
      .replaceAll(/[^\w-]/g, "")
      .slice(0, 11),
    channel: session.channel,
    login: session.login,
    title: metadata.title,
    description: metadata.description,
    categoryId: metadata.categoryId,
    // Until November 2026 YouTube made the videos of unverified projects private.
    privacy: sim.settings.extra["lock_private"] === true ? "private" : (metadata.privacy ?? "public"),
    madeForKids: metadata.madeForKids,
    createdAt: sim.now(),
    serial: nextSerialNumber(sim),
    deleted: false,
  };
  saveVideo(sim, video);
  saveSession(sim, { ...session, videoId: video.id });
  if (!becomesWatchable(video)) {
    return Response.json(uploadedResource(video), { status: 201 });
  }
  sim.recordPublishedPost({
    id: video.id,
    url: `https://www.youtube.com/watch?v=${video.id}`,
    account: video.channel,
    kind: "video",
    text: video.description,
    title: video.title,
    media: [{ type: "video", sha256 }],
    options: {
      privacyStatus: video.privacy,
      selfDeclaredMadeForKids: video.madeForKids,
      categoryId: video.categoryId,
      ...metadata.further,
      ...(!session.notifies && { notifySubscribers: false }),
    },
    accepted_at: toIsoInstant(video.createdAt),
  });
  return Response.json(uploadedResource(video), { status: 201 });
}

/** PUT of a chunk; without bytes it queries the progress. */
export async function receiveChunk(request: Request, url: URL, sim: SimulatorContext, token: Token): Promise<Response> {
  const session = findSession(sim, url.searchParams.get("upload_id") ?? "");
  const isMissing = !session || session.expiresAt <= sim.now() || sim.settings.extra["sessions_gone"] === true;
  if (isMissing || session.login !== token.login) {
    return errorResponse(404, "notFound", "Upload session not found", "global");
  }
  if (session.videoId !== null) {
    const video = findVideo(sim, session.videoId);
    return video
      ? Response.json(uploadedResource(video))
      : errorResponse(404, "videoNotFound", "The video cannot be found.");
  }
  const probe = /^bytes \*\/(?<total>\d+|\*)$/.exec(request.headers.get("content-range") ?? "")?.groups?.["total"];
  if (probe !== undefined) {
    return probe === "*" || Number(probe) === session.totalBytes
      ? resumeIncomplete(session)
      : badContent("Content-Range does not match the declared length");
  }
  const range = readContentRange(request, session);
  if (range instanceof Response || !request.body) {
    return range instanceof Response ? range : badContent("the body is empty");
  }
  if (range.first !== session.stored) {
    return resumeIncomplete(session);
  }
  const length = range.last - range.first + 1;
  const isFinal = range.last === session.totalBytes - 1;
  if (!isFinal && length % CHUNK_MULTIPLE_BYTES !== 0) {
    return badContent("Chunks must be multiples of 262144 bytes");
  }
  if (sim.settings.extra["busy_chunk"] === session.chunks + 1 && !session.wasBusy) {
    saveSession(sim, { ...session, wasBusy: true });
    return errorResponse(503, "backendError", "Backend Error", "global");
  }
  const isHalved = sim.settings.extra["half_chunks"] === true && !isFinal;
  const storedLength = isHalved
    ? Math.max(CHUNK_MULTIPLE_BYTES, Math.floor(length / 2 / CHUNK_MULTIPLE_BYTES) * CHUNK_MULTIPLE_BYTES)
    : length;
  await storeChunk(sim, blobKey(session.id, session.chunks), request.body, storedLength);
  const updated: UploadSession = { ...session, stored: range.first + storedLength, chunks: session.chunks + 1 };
  const keys = Array.from({ length: updated.chunks }, (_, chunk) => blobKey(session.id, chunk));
  const file = isFinal ? await sim.digestBlobs(keys) : null;
  // No await from here on: of two concurrent calls with the same chunk, the second one then finds it stored.
  const current = findSession(sim, session.id);
  if (!current || current.stored !== session.stored || current.videoId !== null) {
    return resumeIncomplete(current ?? session);
  }
  if (file) {
    return createVideo(sim, updated, file.sha256);
  }
  saveSession(sim, updated);
  return resumeIncomplete(updated);
}
