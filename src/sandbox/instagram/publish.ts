import type { JsonObject } from "#core/json.ts";
import { toInstant } from "#core/clock.ts";
import type { BookEntry, Sim } from "#sandbox/contract.ts";
import { pageOf, type Params, select, textOf } from "#sandbox/graph.ts";
import { type Container, find, save, settle, statusOf } from "./containers.ts";
import type { Person } from "./people.ts";
import { invisible, refusal } from "./problems.ts";

/* Publishing and reading back: platforms/instagram.md 2.1, part 5 and part 6. */

const DAY_MS = 86_400_000;
const POSTS_PER_DAY = 100;
const PAGE_USUAL = 25;
const LIST_MAX = 10_000;
const SHORTCODE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

interface Media {
  readonly id: string;
  readonly owner: string;
  readonly shortcode: string;
  readonly type: "IMAGE" | "VIDEO" | "CAROUSEL_ALBUM";
  readonly product: "FEED" | "REELS";
  readonly caption: string;
  readonly children: readonly string[];
  readonly at: number;
}

const publishedPrefix = (owner: string): string => `published:${owner}:`;

/** Posts of the last 24 hours; times are 13 digits for the next centuries, so that keys sort by them. */
function publishedToday(sim: Sim, owner: string): number {
  const prefix = publishedPrefix(owner);
  return sim.store.list(prefix, { from: `${prefix}${sim.now() - DAY_MS + 1}`, limit: LIST_MAX }).length;
}

const quotaOf = (sim: Sim): number => sim.settings.quota ?? POSTS_PER_DAY;

/** GET /{ig}/content_publishing_limit */
export function publishingLimit(sim: Sim, person: Person): Response {
  const config = { quota_total: quotaOf(sim), quota_duration: DAY_MS / 1000 };
  return Response.json({ data: [{ quota_usage: publishedToday(sim, person.userId), config }] });
}

/** POST /{ig}/media_publish */
export async function publish(sim: Sim, person: Person, params: Params): Promise<Response> {
  const known = find(sim, textOf(params, "creation_id") ?? "");
  if (!known || known.owner !== person.userId) {
    return refusal(sim, "containerMissing");
  }
  await settle(sim, known);
  // Nothing waits from here on: of two calls with one container exactly one finds it unpublished.
  const container = find(sim, known.id) ?? known;
  switch (statusOf(sim, container)) {
    case "PUBLISHED":
      return refusal(sim, "containerGone");
    case "EXPIRED":
      return refusal(sim, "expired");
    case "IN_PROGRESS":
    case "ERROR":
      return refusal(sim, "notReady");
    case "FINISHED":
      break;
  }
  if (container.child) {
    return refusal(sim, "carouselInvalid");
  }
  if (publishedToday(sim, person.userId) >= quotaOf(sim)) {
    return refusal(sim, "dailyCap");
  }
  return Response.json({ id: accept(sim, person, container) });
}

function accept(sim: Sim, person: Person, container: Container): string {
  const now = sim.now();
  const id = sim.id(17);
  const reel = container.kind === "REELS";
  const shortcode = Array.from(sim.id(22).match(/../g) ?? [], (digits) => SHORTCODE[Number(digits) % 64]).join("");
  const children = container.children.map((child) => find(sim, child)).filter((child) => child !== undefined);
  const items = container.kind === "CAROUSEL" ? children : [container];
  const media: Media = {
    id,
    owner: person.userId,
    shortcode,
    type: container.kind === "CAROUSEL" ? "CAROUSEL_ALBUM" : container.kind === "IMAGE" ? "IMAGE" : "VIDEO",
    product: reel ? "REELS" : "FEED",
    caption: container.caption,
    children: container.children,
    at: now,
  };
  save(sim, { ...container, mediaId: id });
  for (const child of children) {
    save(sim, { ...child, mediaId: sim.id(17) });
  }
  sim.store.put(`media:${id}`, { ...media, children: [...media.children] });
  sim.store.put(`${publishedPrefix(person.userId)}${now}:${id}`, id);
  const altTexts = children.map((child) => child.options["alt_text"] ?? null);
  const entry: BookEntry = {
    id,
    url: permalink(media),
    account: person.userId,
    kind: { IMAGE: "image", REELS: "reel", VIDEO: "video", CAROUSEL: "carousel" }[container.kind],
    text: container.caption,
    title: null,
    media: items.map((item) => ({ type: item.kind === "IMAGE" ? "image" : "video", sha256: item.sha256 ?? "" })),
    options: { ...container.options, ...(altTexts.some((text) => text !== null) && { alt_texts: altTexts }) },
    accepted_at: toInstant(now),
  };
  sim.publish(entry);
  return id;
}

const permalink = (media: Media): string =>
  `https://www.instagram.com/${media.product === "REELS" ? "reel" : "p"}/${media.shortcode}/`;

/** `2026-11-20T10:00:00+0000`, as this API spells instants. */
const timestamp = (at: number): string => toInstant(at).replace(/\.\d{3}Z$/, "+0000");

const USUAL_FIELDS = "id";

function describe(media: Media): JsonObject {
  return {
    id: media.id,
    caption: media.caption,
    media_type: media.type,
    media_product_type: media.product,
    permalink: permalink(media),
    shortcode: media.shortcode,
    timestamp: timestamp(media.at),
    owner: { id: media.owner },
  };
}

const visible = (sim: Sim, media: Media): boolean => media.at + sim.settings.verify_lag_ms <= sim.now();

/** GET /{media} */
export function readMedia(sim: Sim, person: Person, id: string, params: Params): Response {
  const media = sim.store.get(`media:${id}`) as Media | undefined;
  return media && media.owner === person.userId && visible(sim, media)
    ? Response.json(select(describe(media), textOf(params, "fields") ?? USUAL_FIELDS))
    : invisible(sim, id);
}

/** GET /{ig}/media, newest first */
export function listMedia(sim: Sim, person: Person, url: URL, params: Params): Response {
  const items = sim.store
    .list<string>(publishedPrefix(person.userId), { reverse: true, limit: LIST_MAX })
    .map(([, id]) => sim.store.get(`media:${id}`) as Media | undefined)
    .filter((media) => media !== undefined)
    .filter((media) => visible(sim, media))
    .map((media) => select(describe(media), textOf(params, "fields") ?? USUAL_FIELDS));
  return pageOf(url, items, PAGE_USUAL);
}
