import { DAY, toInstant } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/grants.ts";
import { serial } from "#sandbox/serial.ts";
import { insufficient, problem } from "./answers.ts";
import { channelsOf } from "./channels.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { spendUpload } from "./quota.ts";
import { find, hasAny, resourceOf, save, type Video } from "./videos.ts";

/* Resumable uploads: platforms/youtube.md 2.1 and 2.2. */

const UPLOAD = ["youtube.upload", "youtube", "youtube.force-ssl"];
const HOST = "www.googleapis.com";
const CHUNK = 262_144;
const LIFETIME_MS = 7 * DAY;
const VIDEO_MAX = 256 * 1024 ** 3;

interface Session {
  readonly id: string;
  readonly login: string;
  readonly channel: string;
  readonly about: Metadata;
  readonly total: number;
  readonly stored: number;
  readonly chunks: number;
  readonly expiresAt: number;
  /** Whether the switch `busy_chunk` had its effect. */
  readonly wasBusy: boolean;
  readonly videoId: string | null;
}

const key = (id: string): string => `session:${id}`;

function keep(sim: Sim, session: Session): void {
  sim.store.put(key(session.id), { ...session, about: { ...session.about } });
}

const open = (sim: Sim, id: string): Session | undefined => sim.store.get(key(id)) as Session | undefined;

/** POST /upload/youtube/v3/videos?uploadType=resumable */
export async function startSession(request: Request, url: URL, sim: Sim, session: Token): Promise<Response> {
  if (!hasAny(session, UPLOAD)) {
    return insufficient();
  }
  if (url.searchParams.get("uploadType") !== "resumable") {
    return problem(400, "mediaBodyRequired", "Only uploadType=resumable is played here.");
  }
  let body: JsonObject;
  try {
    body = { ...(JSON.parse(await request.text()) as JsonObject) };
  } catch {
    return problem(400, "parseError", "Parse Error", "global");
  }
  const part = url.searchParams.get("part") ?? "";
  const about = readMetadata(body, part.split(","));
  if (about instanceof Response) {
    return about;
  }
  const [channel] = channelsOf(session.login);
  if (!channel) {
    return problem(401, "youtubeSignupRequired", "The user has not signed up for YouTube.", "youtube.header");
  }
  const total = Number(request.headers.get("x-upload-content-length"));
  const contentType = request.headers.get("x-upload-content-type") ?? "";
  if (!Number.isSafeInteger(total) || total <= 0 || !/^(?:video\/|application\/octet-stream)/.test(contentType)) {
    return problem(400, "mediaBodyRequired", "The request does not include the video content.");
  }
  if (total > VIDEO_MAX) {
    return problem(400, "invalidVideoMetadata", "The video is larger than 256 GB.");
  }
  const exceeded = spendUpload(sim, channel.id);
  if (exceeded) {
    return exceeded;
  }
  const started: Session = {
    id: sim.secret("AD"),
    login: session.login,
    channel: channel.id,
    about,
    total,
    stored: 0,
    chunks: 0,
    expiresAt: sim.now() + LIFETIME_MS,
    wasBusy: false,
    videoId: null,
  };
  keep(sim, started);
  const query = new URLSearchParams({ uploadType: "resumable", part, upload_id: started.id });
  const location = `https://${HOST}/upload/youtube/v3/videos?${query.toString()}`;
  return new Response(null, { status: 200, headers: { location } });
}

const resume = ({ stored }: Session): Response =>
  new Response(null, { status: 308, headers: stored === 0 ? {} : { range: `bytes=0-${stored - 1}` } });

const badContent = (message: string): Response => problem(400, "badContent", message, "global");

const blobKey = (id: string, chunk: number): string => `sandbox/youtube/${id}/${chunk}`;

/** The range a PUT brings; a file that fits one request needs to say nothing. */
function rangeOf(request: Request, { total }: Session): { readonly first: number; readonly last: number } | Response {
  const header = request.headers.get("content-range") ?? `bytes 0-${total - 1}/${total}`;
  const said = /^bytes (?<first>\d+)-(?<last>\d+)\/(?<total>\d+)$/.exec(header)?.groups;
  if (!said || Number(said["total"]) !== total || Number(said["last"]) >= total) {
    return badContent("Content-Range does not fit the declared length");
  }
  const range = { first: Number(said["first"]), last: Number(said["last"]) };
  return request.headers.get("content-length") === String(range.last - range.first + 1)
    ? range
    : badContent("Content-Length does not fit Content-Range");
}

/** Stores the first `length` bytes of a body; the rest is read and lost. */
async function store(sim: Sim, name: string, body: ReadableStream<Uint8Array>, length: number): Promise<void> {
  const fixed = new FixedLengthStream(length);
  const stored = sim.blobs.put(name, fixed.readable);
  const writer = fixed.writable.getWriter();
  let left = length;
  for await (const chunk of body) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    if (part.length > 0) {
      await writer.write(part);
    }
  }
  await writer.close();
  await stored;
}

/** The video exists from this instant on, whether or not the answer arrives. */
function complete(sim: Sim, session: Session, sha256: string): Response {
  const { about } = session;
  const video: Video = {
    id: sim
      .secret("")
      .replaceAll(/[^\w-]/g, "")
      .slice(0, 11),
    channel: session.channel,
    login: session.login,
    title: about.title,
    description: about.description,
    categoryId: about.categoryId,
    // Until November 2026 the videos of unverified projects were locked.
    privacy: sim.settings.extra["lock_private"] === true ? "private" : (about.privacy ?? "public"),
    madeForKids: about.madeForKids,
    createdAt: sim.now(),
    serial: serial(sim),
    deleted: false,
  };
  save(sim, video);
  keep(sim, { ...session, videoId: video.id });
  sim.publish({
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
    },
    accepted_at: toInstant(video.createdAt),
  });
  return Response.json(resourceOf(sim, video), { status: 201 });
}

/** PUT of a chunk, or of nothing to ask how far it came. */
export async function receive(request: Request, url: URL, sim: Sim, caller: Token): Promise<Response> {
  const session = open(sim, url.searchParams.get("upload_id") ?? "");
  const isGone = !session || session.expiresAt <= sim.now() || sim.settings.extra["sessions_gone"] === true;
  if (isGone || session.login !== caller.login) {
    return problem(404, "notFound", "Upload session not found", "global");
  }
  if (session.videoId !== null) {
    const video = find(sim, session.videoId);
    return video ? Response.json(resourceOf(sim, video)) : problem(404, "videoNotFound", "The video cannot be found.");
  }
  const probe = /^bytes \*\/(?<total>\d+|\*)$/.exec(request.headers.get("content-range") ?? "")?.groups?.["total"];
  if (probe !== undefined) {
    return probe === "*" || Number(probe) === session.total ? resume(session) : badContent("the total does not fit");
  }
  const range = rangeOf(request, session);
  if (range instanceof Response || !request.body) {
    return range instanceof Response ? range : badContent("there are no bytes");
  }
  if (range.first !== session.stored) {
    return resume(session);
  }
  const length = range.last - range.first + 1;
  const isFinal = range.last === session.total - 1;
  if (!isFinal && length % CHUNK !== 0) {
    return badContent("Chunks must be multiples of 262144 bytes");
  }
  if (sim.settings.extra["busy_chunk"] === session.chunks + 1 && !session.wasBusy) {
    keep(sim, { ...session, wasBusy: true });
    return problem(503, "backendError", "Backend Error", "global");
  }
  const halved = sim.settings.extra["half_chunks"] === true && !isFinal;
  const kept = halved ? Math.max(CHUNK, Math.floor(length / 2 / CHUNK) * CHUNK) : length;
  await store(sim, blobKey(session.id, session.chunks), request.body, kept);
  const grown: Session = { ...session, stored: range.first + kept, chunks: session.chunks + 1 };
  const keys = Array.from({ length: grown.chunks }, (_, chunk) => blobKey(session.id, chunk));
  const whole = isFinal ? await sim.digestBlobs(keys) : null;
  // Nothing waits from here on: of two that sent the same chunk, one finds it there already.
  const now = open(sim, session.id);
  if (!now || now.stored !== session.stored || now.videoId !== null) {
    return resume(now ?? session);
  }
  if (whole) {
    return complete(sim, grown, whole.sha256);
  }
  keep(sim, grown);
  return resume(grown);
}
