import { MINUTE } from "#core/clock.ts";
import { toBase64 } from "#core/encoding.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { altTextOf } from "#platforms/alt-text.ts";
import { type PlatformResponse, callPlatform, isOk, parseBody } from "#platforms/response.ts";
import type { CommitOutcome, Fault, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { CreatedPin } from "./answers.ts";
import { IMAGE_UNREACHABLE_CODE, isBoardFault, toFault } from "./errors.ts";
import { apiUrl, pinUrl } from "./hosts.ts";
import { INLINE_MAX_BYTES, INLINE_TYPES } from "./limits.ts";
import { parseProgress, CommitRef } from "./refs.ts";

/**
 * The timeout (ms) of creating a pin. Pinterest documents none, and its own client sets none (`_request_timeout` of
 * https://github.com/pinterest/pinterest-python-generated-api-client). It is longer than usual, because Pinterest
 * fetches the images before it answers, and `verify` finds a pin only later.
 */
const CREATE_PIN_TIMEOUT_MS = MINUTE;

/** Creates the pin on one board, which is one visible call. */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const commitRef = CommitRef.parse(ref);
  const [board] = commitRef.boards;
  if (board === undefined) {
    return finalOutcome(job, commitRef);
  }
  const sentRef: CommitRef = { ...commitRef, sendCount: commitRef.sendCount + 1, sentAt: job.now };
  const { app, accessToken } = job.account;
  const body = await pinBody(job, commitRef, board);
  let response: PlatformResponse;
  try {
    response = await callPlatform(client, `${apiUrl(app)}/pins`, {
      ...postJson(body, bearerHeader(accessToken)),
      timeoutMs: CREATE_PIN_TIMEOUT_MS,
    });
  } catch {
    return {
      state: "uncertain",
      detail: "the connection broke after the pin was sent",
      httpStatus: null,
      ref: sentRef,
    };
  }
  const created = isOk(response) ? parseBody(CreatedPin, response) : undefined;
  if (created) {
    return pinnedOutcome(job, commitRef, board, created.id);
  }
  if (response.status < 400 || response.status === 408 || response.status >= 500) {
    return {
      state: "uncertain",
      detail: `Pinterest answered ${response.status}`,
      httpStatus: response.status,
      ref: sentRef,
    };
  }
  return refusalOutcome(job, commitRef, board, toFault(response, job));
}

/** Records that the first board has its pin, and continues with the boards that are left. */
export function pinnedOutcome(
  job: Job,
  commitRef: CommitRef,
  board: string,
  pin: string,
): Extract<CommitOutcome, { state: "published" | "more" }> {
  const progress = { pins: [...parseProgress(job.progress).pins, { board, pin }] };
  const [first] = progress.pins;
  return commitRef.boards.length === 1 && commitRef.failures.length === 0 && first
    ? { state: "published", remoteId: first.pin, url: pinUrl(first.pin) }
    : { state: "more", ref: withoutFirstBoard(commitRef), progress };
}

function withoutFirstBoard(commitRef: CommitRef): CommitRef {
  return { ...commitRef, boards: commitRef.boards.slice(1), sendCount: 0, sentAt: null };
}

function refusalOutcome(job: Job, commitRef: CommitRef, board: string, fault: Fault): CommitOutcome {
  if (fault.code === IMAGE_UNREACHABLE_CODE && commitRef.imageMode === "url" && canInline(job.media)) {
    // The refused call created nothing, so the second call is still the only visible one.
    return { state: "more", ref: { ...commitRef, imageMode: "inline" }, progress: job.progress };
  }
  const isOnlyBoard =
    commitRef.boards.length === 1 && commitRef.failures.length === 0 && parseProgress(job.progress).pins.length === 0;
  if (isBoardFault(fault) && !isOnlyBoard) {
    const { message, code, platformCode } = fault;
    const failures = [...commitRef.failures, { board, message, code, platformCode }];
    return { state: "more", ref: { ...withoutFirstBoard(commitRef), failures }, progress: job.progress };
  }
  return { state: "refused", fault };
}

/** The outcome after the last board. Published if no board refused the pin. */
function finalOutcome(job: Job, commitRef: CommitRef): CommitOutcome {
  const { pins } = parseProgress(job.progress);
  const [first] = pins;
  const [failure] = commitRef.failures;
  if (first && !failure) {
    return { state: "published", remoteId: first.pin, url: pinUrl(first.pin) };
  }
  const list = commitRef.failures.map(({ board, message }) => `board ${board}: ${message}`).join(" ");
  return {
    state: "refused",
    fault: rejected(
      `${pins.length} of ${pins.length + commitRef.failures.length} boards have the pin. ${list}`.trim(),
      { httpStatus: null, platformCode: failure?.platformCode ?? null },
      { code: failure?.code ?? "rejected", category: "content" },
    ),
  };
}

/** The title, description and link of a pin. Empty ones are left out. */
export function textFields(job: Job): {
  readonly title?: string;
  readonly description?: string;
  readonly link?: string;
} {
  const { title, link } = job.options;
  return {
    ...(typeof title === "string" && title.trim() !== "" && { title }),
    ...(job.caption.trim() !== "" && { description: job.caption }),
    ...(typeof link === "string" && { link }),
  };
}

async function pinBody(job: Job, commitRef: CommitRef, board: string): Promise<JsonObject> {
  const mediaId = commitRef.mediaIds[board];
  const images = job.media.filter((media) => media.type === "image");
  const { board_section_id: section, dominant_color: color } = job.options;
  // A pin has only one description, that of the first item.
  const altText = job.media[0] && altTextOf(job.media[0]);
  return {
    board_id: board,
    ...textFields(job),
    ...(altText !== undefined && { alt_text: altText }),
    ...(typeof section === "string" && { board_section_id: section }),
    ...(typeof color === "string" && { dominant_color: color }),
    media_source:
      mediaId === undefined ? await imageSource(images, commitRef) : videoSource(mediaId, job.media, images[0]),
  };
}

/** The media of a video pin, which needs a cover: the video's own, or the post's image, or else the first frame. */
function videoSource(mediaId: string, media: readonly JobMedia[], image: JobMedia | undefined): JsonObject {
  const own = media.find(({ type }) => type === "video")?.cover;
  const cover = own?.image ?? image;
  return {
    source_type: "video_id",
    media_id: mediaId,
    ...(cover ? { cover_image_url: cover.url } : { cover_image_key_frame_time: Math.floor((own?.atMs ?? 0) / 1000) }),
  };
}

async function imageSource(images: readonly JobMedia[], commitRef: CommitRef): Promise<JsonObject> {
  if (commitRef.imageMode === "url") {
    const items = images.map(({ url }) => ({ url }));
    return items.length === 1
      ? { source_type: "image_url", ...items[0] }
      : { source_type: "multiple_image_urls", items };
  }
  const items: { content_type: string; data: string }[] = [];
  for (const image of images) {
    const bytes = await new Response(await image.read()).bytes();
    items.push({ content_type: image.contentType, data: toBase64(bytes) });
  }
  return items.length === 1
    ? { source_type: "image_base64", ...items[0] }
    : { source_type: "multiple_image_base64", items };
}

function canInline(media: readonly JobMedia[]): boolean {
  return (
    media.every((item) => item.type === "image" && INLINE_TYPES.includes(item.contentType)) &&
    media.reduce((sum, item) => sum + item.sizeBytes, 0) <= INLINE_MAX_BYTES
  );
}
