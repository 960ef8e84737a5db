import { toBase64 } from "#core/encoding.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { CommitOutcome, Fault, Job, JobMedia, PlatformClient } from "#platforms/contract.ts";
import { rejected } from "#platforms/fault.ts";
import { bearer, postJson } from "#platforms/form.ts";
import { Created } from "./answers.ts";
import { IMAGE_UNREACHABLE, isOfTheBoard, toFault } from "./errors.ts";
import { apiOf, pinUrl } from "./hosts.ts";
import { INLINE_MAX_BYTES, INLINE_TYPES } from "./limits.ts";
import { progressOf, Ref } from "./refs.ts";

/** One pin on one board. */
export async function commit(client: PlatformClient, job: Job, ref: JsonValue): Promise<CommitOutcome> {
  const plan = Ref.parse(ref);
  const [board] = plan.boards;
  if (board === undefined) {
    return ended(job, plan);
  }
  const sent: Ref = { ...plan, sends: plan.sends + 1, sentAt: job.now };
  const { app, accessToken } = job.account;
  const body = await bodyOf(job, plan, board);
  let answer: Answer;
  try {
    answer = await call(client, `${apiOf(app)}/pins`, postJson(body, bearer(accessToken)));
  } catch {
    return { state: "uncertain", detail: "the connection broke after the pin was sent", httpStatus: null, ref: sent };
  }
  const created = isOk(answer) ? read(Created, answer) : undefined;
  if (created) {
    return pinned(job, plan, board, created.id);
  }
  if (answer.status < 400 || answer.status === 408 || answer.status >= 500) {
    return {
      state: "uncertain",
      detail: `Pinterest answered ${answer.status}`,
      httpStatus: answer.status,
      ref: sent,
    };
  }
  return refused(job, plan, board, toFault(answer, job));
}

/** This board has its pin; what is left is remembered together with it. */
export function pinned(
  job: Job,
  plan: Ref,
  board: string,
  pin: string,
): Extract<CommitOutcome, { state: "published" | "more" }> {
  const progress = { pins: [...progressOf(job.progress).pins, { board, pin }] };
  const [first] = progress.pins;
  return plan.boards.length === 1 && plan.failures.length === 0 && first
    ? { state: "published", remoteId: first.pin, url: pinUrl(first.pin) }
    : { state: "more", ref: next(plan), progress };
}

function next(plan: Ref): Ref {
  return { ...plan, boards: plan.boards.slice(1), sends: 0, sentAt: null };
}

function refused(job: Job, plan: Ref, board: string, fault: Fault): CommitOutcome {
  if (fault.code === IMAGE_UNREACHABLE && plan.images === "url" && canInline(job.media)) {
    // The refusal created nothing, so the second call is the first one that can be seen.
    return { state: "more", ref: { ...plan, images: "inline" }, progress: job.progress };
  }
  const isAlone = plan.boards.length === 1 && plan.failures.length === 0 && progressOf(job.progress).pins.length === 0;
  if (isOfTheBoard(fault) && !isAlone) {
    const { message, code, platformCode } = fault;
    const failures = [...plan.failures, { board, message, code, platformCode }];
    return { state: "more", ref: { ...next(plan), failures }, progress: job.progress };
  }
  return { state: "refused", fault };
}

/** Every board has had its turn. */
function ended(job: Job, plan: Ref): CommitOutcome {
  const { pins } = progressOf(job.progress);
  const [first] = pins;
  const [failure] = plan.failures;
  if (first && !failure) {
    return { state: "published", remoteId: first.pin, url: pinUrl(first.pin) };
  }
  const list = plan.failures.map(({ board, message }) => `board ${board}: ${message}`).join(" ");
  return {
    state: "refused",
    fault: rejected(
      `${pins.length} of ${pins.length + plan.failures.length} boards have the pin. ${list}`.trim(),
      { httpStatus: null, platformCode: failure?.platformCode ?? null },
      { code: failure?.code ?? "rejected", category: "content" },
    ),
  };
}

/** The text and the address of the pin; those that are empty are left out. */
export function wordsOf(job: Job): {
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

async function bodyOf(job: Job, plan: Ref, board: string): Promise<JsonObject> {
  const video = plan.videos[board];
  const images = job.media.filter((media) => media.type === "image");
  return {
    board_id: board,
    ...wordsOf(job),
    media_source: video === undefined ? await imageSource(images, plan) : videoSource(video, images[0]),
  };
}

/** A pin of a video needs a cover: the post's image, else the first frame. */
function videoSource(mediaId: string, cover: JobMedia | undefined): JsonObject {
  return {
    source_type: "video_id",
    media_id: mediaId,
    ...(cover ? { cover_image_url: cover.url } : { cover_image_key_frame_time: 0 }),
  };
}

async function imageSource(images: readonly JobMedia[], plan: Ref): Promise<JsonObject> {
  if (plan.images === "url") {
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
