import { DAY } from "#core/clock.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Sim } from "#sandbox/contract.ts";
import { fetchMedia, type Found, pause } from "#sandbox/fetching.ts";
import { flagOf, jsonOf, type Params, textOf } from "#sandbox/graph.ts";
import type { Token } from "#sandbox/grants.ts";
import { invalid } from "./problems.ts";

/* What a container is and what becomes of it: platforms/threads.md 2.1 and part 3. */

const AGENT = "facebookexternalhit/1.1";
const MIB = 1024 * 1024;
const IMAGE_MAX_BYTES = 8 * MIB;
const VIDEO_MAX_BYTES = 1024 * MIB;
const VIDEO_MAX_SECONDS = 300;
const RATIO_MAX = 10;
const TEXT_MAX = 500;
const ALT_TEXT_MAX = 1000;
const LINKS_MAX = 5;
const CHILDREN_MIN = 2;
const CHILDREN_MAX = 20;
const FIRST_PAUSE_MS = 25;
const POLL_PAUSE_MS = 2000;

export interface Container {
  readonly id: string;
  readonly login: string;
  readonly type: "TEXT" | "IMAGE" | "VIDEO" | "CAROUSEL";
  readonly text: string;
  readonly altText: string | null;
  readonly child: boolean;
  readonly children: readonly string[];
  /** What is to be fetched; null for text and carousels. */
  readonly url: string | null;
  readonly media: readonly { readonly type: "image" | "video"; readonly sha256: string }[];
  readonly createdAt: number;
  /** When processing ends; null while the bytes are on their way. */
  readonly readyAt: number | null;
  readonly problem: string | null;
  /** Whether the one chance miss that `miss_percent` deals out has happened. */
  readonly missed: boolean;
  readonly mediaId: string | null;
}

export const find = (sim: Sim, id: string): Container | undefined =>
  sim.store.get(`container:${id}`) as Container | undefined;

export function save(sim: Sim, container: Container): void {
  sim.store.put(`container:${container.id}`, {
    ...container,
    children: [...container.children],
    media: container.media.map((item) => ({ ...item })),
  });
}

export type Status = "IN_PROGRESS" | "FINISHED" | "ERROR" | "EXPIRED" | "PUBLISHED";

export function statusOf(sim: Sim, container: Container): Status {
  if (container.mediaId !== null) {
    return "PUBLISHED";
  }
  if (container.createdAt + DAY <= sim.now()) {
    return "EXPIRED";
  }
  if (container.readyAt === null || container.readyAt > sim.now()) {
    return "IN_PROGRESS";
  }
  return container.problem === null ? "FINISHED" : "ERROR";
}

/** What is wrong with the bytes, in the words of `error_message`. */
function problemIn(type: Container["type"], found: Found | null): string | null {
  if (!found) {
    return type === "VIDEO" ? "FAILED_DOWNLOADING_VIDEO" : "UNKNOWN";
  }
  const { looks, size } = found;
  const ratio = looks.width !== null && looks.height ? looks.width / looks.height : 1;
  if (type === "IMAGE") {
    const isImage = looks.type === "image/jpeg" || looks.type === "image/png";
    const fits = size <= IMAGE_MAX_BYTES && ratio <= RATIO_MAX && ratio >= 1 / RATIO_MAX;
    return isImage && fits ? null : "UNKNOWN";
  }
  if (looks.type !== "video/mp4" || size > VIDEO_MAX_BYTES) {
    return "FAILED_PROCESSING_VIDEO";
  }
  if ((looks.durationSeconds ?? 1) > VIDEO_MAX_SECONDS) {
    return "INVALID_DURATION";
  }
  // The platform spells it so.
  return ratio < 0.01 || ratio > RATIO_MAX ? "INVALID_ASPEC_RATIO" : null;
}

/** Really gets the bytes; after a kill of the process a poll starts it again. */
function download(sim: Sim, id: string): Promise<void> {
  return sim.run(`fetch:${id}`, async () => {
    const container = find(sim, id);
    if (!container || container.url === null || container.readyAt !== null) {
      return;
    }
    const found = await fetchMedia(sim, container.url, AGENT);
    const now = find(sim, id);
    if (now) {
      const type = container.type === "VIDEO" ? "video" : "image";
      save(sim, {
        ...now,
        media: found ? [{ type, sha256: found.sha256 }] : [],
        problem: problemIn(container.type, found),
        readyAt: sim.now() + sim.settings.processing_ms,
      });
    }
  });
}

/** Gives a download that is under way a moment, so that small files are there at the first look. */
export async function settled(sim: Sim, container: Container, pauseMs = POLL_PAUSE_MS): Promise<Container> {
  if (container.readyAt === null) {
    await Promise.race([download(sim, container.id), pause(pauseMs)]);
  }
  return find(sim, container.id) ?? container;
}

/** Every emoji costs its UTF-8 bytes, every other character one. */
function countText(text: string): number {
  let count = 0;
  for (const { segment } of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) {
    count += /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u.test(segment)
      ? new TextEncoder().encode(segment).length
      : [...segment].length;
  }
  return count;
}

function textProblem(sim: Sim, text: string): Response | null {
  if (countText(text) > TEXT_MAX) {
    return invalid(sim, `Param text must be at most ${TEXT_MAX} characters long.`);
  }
  const links = new Set(Array.from(text.matchAll(/https?:\/\/\S+/g), (match) => match[0]));
  return links.size > LINKS_MAX ? invalid(sim, "THREADS_API__LINK_LIMIT_EXCEEDED") : null;
}

/** The children's ids, however they were written. */
function idsIn(given: JsonValue | undefined): readonly string[] {
  if (typeof given === "string") {
    return given.split(",").map((id) => id.trim());
  }
  return Array.isArray(given) ? given.filter((id) => typeof id === "string") : [];
}

function carouselOf(sim: Sim, session: Token, params: Params): Pick<Container, "children" | "media"> | Response {
  const ids = idsIn(jsonOf(params, "children"));
  if (ids.length < CHILDREN_MIN || ids.length > CHILDREN_MAX) {
    return invalid(sim, `A carousel takes ${CHILDREN_MIN} to ${CHILDREN_MAX} children.`);
  }
  const children = ids.map((id) => find(sim, id)).filter((child) => child !== undefined);
  const fit = children.filter(
    (child) => child.child && child.login === session.login && statusOf(sim, child) === "FINISHED",
  );
  return fit.length === ids.length && new Set(ids).size === ids.length
    ? { children: ids, media: fit.flatMap((child) => child.media) }
    : invalid(sim, "Every child must be a FINISHED carousel item of this user.");
}

/** POST /{user}/threads */
export async function createContainer(sim: Sim, session: Token, params: Params): Promise<Response> {
  const type = textOf(params, "media_type");
  const text = textOf(params, "text") ?? "";
  const altText = textOf(params, "alt_text");
  const child = flagOf(params, "is_carousel_item") === true;
  const wrong = textProblem(sim, text);
  if (wrong) {
    return wrong;
  }
  if (altText !== null && altText.length > ALT_TEXT_MAX) {
    return invalid(sim, `Param alt_text must be at most ${ALT_TEXT_MAX} characters long.`);
  }
  if (child && (text !== "" || (type !== "IMAGE" && type !== "VIDEO"))) {
    return invalid(sim, "A carousel item is an IMAGE or a VIDEO, without a text.");
  }
  const container: Container = {
    id: sim.id(17),
    login: session.login,
    type: "TEXT",
    text,
    altText,
    child,
    children: [],
    url: null,
    media: [],
    createdAt: sim.now(),
    readyAt: sim.now(),
    problem: null,
    missed: false,
    mediaId: null,
  };
  switch (type) {
    case "TEXT":
      if (text.trim() === "") {
        return invalid(sim, "Param text is required for TEXT.");
      }
      save(sim, container);
      break;
    case "IMAGE":
    case "VIDEO": {
      const url = textOf(params, type === "IMAGE" ? "image_url" : "video_url");
      if (url === null) {
        return invalid(sim, `${type} needs its URL.`);
      }
      const begun: Container = { ...container, type, url, readyAt: null };
      save(sim, begun);
      await settled(sim, begun, FIRST_PAUSE_MS);
      break;
    }
    case "CAROUSEL": {
      const carousel = carouselOf(sim, session, params);
      if (carousel instanceof Response) {
        return carousel;
      }
      save(sim, { ...container, type, ...carousel });
      break;
    }
    default:
      return invalid(sim, "Param media_type must be one of TEXT, IMAGE, VIDEO, CAROUSEL.");
  }
  return Response.json({ id: container.id });
}

/** What a read of a container may show. */
export const containerJson = (sim: Sim, container: Container): JsonObject => ({
  id: container.id,
  status: statusOf(sim, container),
  ...(container.problem !== null && { error_message: container.problem }),
});
