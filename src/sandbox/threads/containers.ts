import { recordTable } from "#sandbox/record-table.ts";
import { DAY } from "#core/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { fetchMedia, type FetchedMedia, sleep } from "#sandbox/fetch-media.ts";
import { booleanParam, jsonParam, type Params, textParam } from "#sandbox/graph-api.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { invalidParameter } from "./error-responses.ts";

/* Media containers and their processing (platforms/threads.md 2.1 and part 3). */

const CRAWLER_USER_AGENT = "facebookexternalhit/1.1";
/** The documented "8 MB" and "1 GB", read as powers of ten to be strict. */
const IMAGE_MAX_BYTES = 8_000_000;
const VIDEO_MAX_BYTES = 1_000_000_000;
const VIDEO_MAX_SECONDS = 300;
const RATIO_MAX = 10;
const TEXT_MAX = 500;
const ALT_TEXT_MAX = 1000;
const LINKS_MAX = 5;
const CHILDREN_MIN = 2;
const CHILDREN_MAX = 20;
const CREATE_WAIT_MS = 25;
const READ_WAIT_MS = 2000;

export interface Container {
  readonly id: string;
  readonly login: string;
  readonly type: "TEXT" | "IMAGE" | "VIDEO" | "CAROUSEL";
  readonly text: string;
  readonly altText: string | null;
  /** The reply control, topic, attachments and spoiler, as sent. */
  readonly options: JsonObject;
  readonly isCarouselItem: boolean;
  /** The post to which the container replies. */
  readonly replyToId: string | null;
  readonly children: readonly string[];
  /** The URL of the media; null for text and carousels. */
  readonly url: string | null;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly createdAt: number;
  /** The time when processing ends; null until the media is downloaded. */
  readonly readyAt: number | null;
  readonly errorMessage: string | null;
  /** Whether publishing has once failed to find the container. The setting `miss_percent` causes that. */
  readonly hasBeenMissed: boolean;
  readonly mediaId: string | null;
}

const CONTAINERS = recordTable<Container>("container:");

export const findContainer = (sim: SimulatorContext, id: string): Container | undefined => CONTAINERS.find(sim, id);

export function saveContainer(sim: SimulatorContext, container: Container): void {
  CONTAINERS.save(sim, container.id, {
    ...container,
    children: [...container.children],
    media: container.media.map((item) => ({ ...item })),
  });
}

export type Status = "IN_PROGRESS" | "FINISHED" | "ERROR" | "EXPIRED" | "PUBLISHED";

export function statusOf(sim: SimulatorContext, container: Container): Status {
  if (container.mediaId !== null) {
    return "PUBLISHED";
  }
  if (container.createdAt + DAY <= sim.now()) {
    return "EXPIRED";
  }
  if (container.readyAt === null || container.readyAt > sim.now()) {
    return "IN_PROGRESS";
  }
  return container.errorMessage === null ? "FINISHED" : "ERROR";
}

/** The `error_message` for invalid media; null for valid media. */
function mediaErrorMessage(type: Container["type"], file: FetchedMedia | null): string | null {
  if (!file) {
    return type === "VIDEO" ? "FAILED_DOWNLOADING_VIDEO" : "UNKNOWN";
  }
  const { info, size } = file;
  const ratio = info.width !== null && info.height ? info.width / info.height : 1;
  if (type === "IMAGE") {
    const isImage = info.type === "image/jpeg" || info.type === "image/png";
    const fits = size <= IMAGE_MAX_BYTES && ratio <= RATIO_MAX && ratio >= 1 / RATIO_MAX;
    return isImage && fits ? null : "UNKNOWN";
  }
  if (info.type !== "video/mp4" || size > VIDEO_MAX_BYTES) {
    return "FAILED_PROCESSING_VIDEO";
  }
  if ((info.durationSeconds ?? 1) > VIDEO_MAX_SECONDS) {
    return "INVALID_DURATION";
  }
  // The misspelling is the platform's own.
  return ratio < 0.01 || ratio > RATIO_MAX ? "INVALID_ASPEC_RATIO" : null;
}

/**
 * Downloads the media from its URL. If the process restarts, the next read of the container starts the download again.
 */
function download(sim: SimulatorContext, id: string): Promise<void> {
  return sim.runOnce(`fetch:${id}`, async () => {
    const container = findContainer(sim, id);
    if (!container || container.url === null || container.readyAt !== null) {
      return;
    }
    const file = await fetchMedia(sim, container.url, CRAWLER_USER_AGENT);
    const current = findContainer(sim, id);
    if (current) {
      const type = container.type === "VIDEO" ? "video" : "image";
      saveContainer(sim, {
        ...current,
        media: file ? [{ type, sha256: file.sha256 }] : [],
        errorMessage: mediaErrorMessage(container.type, file),
        readyAt: sim.now() + sim.settings.processing_ms,
      });
    }
  });
}

/** Waits briefly for a running download, so that small files are ready at the first read. */
export async function awaitDownload(
  sim: SimulatorContext,
  container: Container,
  waitMs = READ_WAIT_MS,
): Promise<Container> {
  if (container.readyAt === null) {
    await Promise.race([download(sim, container.id), sleep(waitMs)]);
  }
  return findContainer(sim, container.id) ?? container;
}

/** Counts a text's characters as Threads does: an emoji as its UTF-8 bytes, any other character as one. */
function countCharacters(text: string): number {
  let count = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) {
    count += /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(segment)
      ? new TextEncoder().encode(segment).length
      : [...segment].length;
  }
  return count;
}

function checkText(sim: SimulatorContext, text: string): Response | null {
  if (countCharacters(text) > TEXT_MAX) {
    return invalidParameter(sim, `Param text must be at most ${TEXT_MAX} characters long.`);
  }
  const links = new Set(Array.from(text.matchAll(/https?:\/\/\S+/g), (match) => match[0]));
  return links.size > LINKS_MAX ? invalidParameter(sim, "THREADS_API__LINK_LIMIT_EXCEEDED") : null;
}

/** The ids from a list or from a comma-separated string. */
function parseIds(childrenParam: JsonValue | undefined): readonly string[] {
  if (typeof childrenParam === "string") {
    return childrenParam.split(",").map((id) => id.trim());
  }
  return Array.isArray(childrenParam) ? childrenParam.filter((id) => typeof id === "string") : [];
}

function parseCarousel(
  sim: SimulatorContext,
  token: Token,
  params: Params,
): Pick<Container, "children" | "media"> | Response {
  const ids = parseIds(jsonParam(params, "children"));
  if (ids.length < CHILDREN_MIN || ids.length > CHILDREN_MAX) {
    return invalidParameter(sim, `A carousel takes ${CHILDREN_MIN} to ${CHILDREN_MAX} children.`);
  }
  const children = ids.map((id) => findContainer(sim, id)).filter((child) => child !== undefined);
  const usableChildren = children.filter(
    (child) => child.isCarouselItem && child.login === token.login && statusOf(sim, child) === "FINISHED",
  );
  return usableChildren.length === ids.length && new Set(ids).size === ids.length
    ? { children: ids, media: usableChildren.flatMap((child) => child.media) }
    : invalidParameter(sim, "Every child must be a FINISHED carousel item of this user.");
}

const REPLY_CONTROLS = new Set([
  "everyone",
  "accounts_you_follow",
  "mentioned_only",
  "parent_post_author_only",
  "followers_only",
]);
const TOPIC_MAX = 50;
const POLL_MEMBERS = ["option_a", "option_b", "option_c", "option_d"];
const POLL_OPTION_MAX = 25;

/**
 * Whether a poll is valid: the first two answers are required, and an answer needs all before it
 * (developers.facebook.com/documentation/threads/create-posts/polls).
 */
function isPoll(poll: JsonValue | undefined): boolean {
  if (!isJsonObject(poll)) {
    return false;
  }
  const texts = POLL_MEMBERS.map((name) => poll[name]);
  const count = Object.keys(poll).length;
  return (
    count >= 2 &&
    count <= POLL_MEMBERS.length &&
    texts.slice(0, count).every((text) => typeof text === "string" && text !== "" && text.length <= POLL_OPTION_MAX)
  );
}

/** The options of the published container, or the error response. */
function readOptions(
  sim: SimulatorContext,
  params: Params,
  type: string | null,
  isCarouselItem: boolean,
): JsonObject | Response {
  const names = ["reply_to_id", "reply_control", "topic_tag", "link_attachment", "poll_attachment", "is_spoiler_media"];
  const given = names.filter((name) => params.has(name));
  const problem = (text: string) => invalidParameter(sim, text);
  if (isCarouselItem && given.length > 0) {
    return problem(`Param ${given[0]} is not for carousel items.`);
  }
  const control = textParam(params, "reply_control");
  if (control !== null && !REPLY_CONTROLS.has(control)) {
    return problem("Param reply_control must be one of the documented values.");
  }
  const topic = textParam(params, "topic_tag");
  if (topic !== null && (topic.trim() === "" || topic.length > TOPIC_MAX || /[.&]/.test(topic))) {
    return problem(`Param topic_tag must be 1 to ${TOPIC_MAX} characters long, without . and &.`);
  }
  const link = textParam(params, "link_attachment");
  const poll = jsonParam(params, "poll_attachment");
  if ((link !== null || poll !== undefined) && type !== "TEXT") {
    return problem("Links and polls can only be attached to TEXT.");
  }
  if (link !== null && poll !== undefined) {
    return problem("Only one attachment is allowed.");
  }
  if (link !== null && !/^https?:$/.test(URL.parse(link)?.protocol ?? "")) {
    return problem("Param link_attachment must be a URL.");
  }
  if (poll !== undefined && !isPoll(poll)) {
    return problem("Param poll_attachment must have option_a to option_d of 1 to 25 characters.");
  }
  const isSpoiler = booleanParam(params, "is_spoiler_media");
  if (params.has("is_spoiler_media") && (isSpoiler === null || type === "TEXT")) {
    return problem("Param is_spoiler_media is a boolean of posts with media.");
  }
  return {
    ...(control !== null && { reply_control: control }),
    ...(topic !== null && { topic_tag: topic }),
    ...(link !== null && { link_attachment: link }),
    ...(poll !== undefined && { poll_attachment: poll }),
    ...(isSpoiler === true && { is_spoiler_media: true }),
  };
}

/** Handles `POST /{user}/threads`. */
export async function createContainer(sim: SimulatorContext, token: Token, params: Params): Promise<Response> {
  const type = textParam(params, "media_type");
  const text = textParam(params, "text") ?? "";
  const altText = textParam(params, "alt_text");
  const isCarouselItem = booleanParam(params, "is_carousel_item") === true;
  const options = readOptions(sim, params, type, isCarouselItem);
  if (options instanceof Response) {
    return options;
  }
  const error = checkText(sim, text);
  if (error) {
    return error;
  }
  if (altText !== null && type !== "IMAGE" && type !== "VIDEO") {
    return invalidParameter(sim, "Param alt_text is for images and videos only.");
  }
  if (altText !== null && altText.length > ALT_TEXT_MAX) {
    return invalidParameter(sim, `Param alt_text must be at most ${ALT_TEXT_MAX} characters long.`);
  }
  if (isCarouselItem && (text !== "" || (type !== "IMAGE" && type !== "VIDEO"))) {
    return invalidParameter(sim, "A carousel item is an IMAGE or a VIDEO, without a text.");
  }
  const container: Container = {
    id: sim.newId(17),
    login: token.login,
    type: "TEXT",
    text,
    altText,
    options,
    isCarouselItem,
    replyToId: textParam(params, "reply_to_id"),
    children: [],
    url: null,
    media: [],
    createdAt: sim.now(),
    readyAt: sim.now(),
    errorMessage: null,
    hasBeenMissed: false,
    mediaId: null,
  };
  switch (type) {
    case "TEXT":
      if (text.trim() === "") {
        return invalidParameter(sim, "Param text is required for TEXT.");
      }
      saveContainer(sim, container);
      break;
    case "IMAGE":
    case "VIDEO": {
      const url = textParam(params, type === "IMAGE" ? "image_url" : "video_url");
      if (url === null) {
        return invalidParameter(sim, `${type} needs its URL.`);
      }
      const started: Container = { ...container, type, url, readyAt: null };
      saveContainer(sim, started);
      await awaitDownload(sim, started, CREATE_WAIT_MS);
      break;
    }
    case "CAROUSEL": {
      const carousel = parseCarousel(sim, token, params);
      if (carousel instanceof Response) {
        return carousel;
      }
      saveContainer(sim, { ...container, type, ...carousel });
      break;
    }
    default:
      return invalidParameter(sim, "Param media_type must be one of TEXT, IMAGE, VIDEO, CAROUSEL.");
  }
  return Response.json({ id: container.id });
}

/** The fields of a container that a read can select. */
export const containerJson = (sim: SimulatorContext, container: Container): JsonObject => ({
  id: container.id,
  status: statusOf(sim, container),
  ...(container.errorMessage !== null && { error_message: container.errorMessage }),
});
