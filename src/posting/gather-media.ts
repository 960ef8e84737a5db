import type { Context } from "#context.ts";
import { type Detail, RefusalError } from "#core/errors.ts";
import type { MediaType } from "#core/status.ts";
import { mediaIdOf, mediaStatement, readMedia, resolveMedia } from "#media/index.ts";
import type { JudgedMedia } from "./judge.ts";
import type { MediaItemInput } from "./types.ts";

export interface MediaSelection {
  readonly mediaItems?: readonly MediaItemInput[] | undefined;
  readonly mediaUrls?: readonly string[] | undefined;
}

export interface GatheredMedia {
  readonly items: readonly JudgedMedia[];
  /** Where the caller named each of them. */
  readonly params: readonly string[];
  readonly problems: readonly Detail[];
}

interface NamedMedia {
  readonly url: string;
  readonly type: MediaType | null;
  readonly param: string;
}

/** Media of a request: our own are found by a statement of the preview's one batch, others are imported beside it. */
export interface MediaSearch {
  readonly statement: D1PreparedStatement | null;
  /** Settles without the statement's rows when there is no statement. */
  finish(rows: readonly unknown[]): GatheredMedia;
}

function named(selection: MediaSelection): NamedMedia[] {
  return [
    ...(selection.mediaItems ?? []).map(({ url, type }, index) => ({ url, type, param: `media_items[${index}]` })),
    ...(selection.mediaUrls ?? []).map((url, index) => ({ url, type: null, param: `media_urls[${index}]` })),
  ];
}

type Gathering = Parameters<typeof resolveMedia>[0] & Pick<Context, "actor" | "config" | "db">;

/** Starts with what takes longest: media from elsewhere are here, checked and kept, when this settles. */
export async function searchMedia(ctx: Gathering, selection: MediaSelection): Promise<MediaSearch> {
  const wanted = named(selection);
  const params = wanted.map(({ param }) => param);
  if (wanted.length === 0) {
    return { statement: null, finish: () => ({ items: [], params, problems: [] }) };
  }
  const ids = wanted.map(({ url }) => mediaIdOf(ctx.config, url));
  if (ids.every((id) => id !== null)) {
    return {
      statement: mediaStatement(ctx.db, ctx.actor, [...new Set(ids)]),
      finish: (rows) => match(wanted, ids, readMedia(rows, ctx.config)),
    };
  }
  const gathered = await importAll(ctx, selection, params);
  return { statement: null, finish: () => gathered };
}

async function importAll(ctx: Gathering, selection: MediaSelection, params: readonly string[]): Promise<GatheredMedia> {
  try {
    const items = await resolveMedia(ctx, {
      ...(selection.mediaItems && { mediaItems: selection.mediaItems }),
      ...(selection.mediaUrls && { mediaUrls: selection.mediaUrls }),
    });
    return { items, params, problems: [] };
  } catch (error) {
    // What is wrong with the media is told together with everything else that is wrong.
    if (error instanceof RefusalError && error.refusal.details) {
      return { items: [], params, problems: error.refusal.details };
    }
    throw error;
  }
}

function match(wanted: readonly NamedMedia[], ids: readonly (string | null)[], found: readonly JudgedMedia[]): GatheredMedia {
  const byId = new Map(found.map((item) => [item.id, item]));
  const items: JudgedMedia[] = [];
  const problems: Detail[] = [];
  for (const [index, { type, param }] of wanted.entries()) {
    const item = byId.get(ids[index] ?? "");
    if (!item) {
      problems.push({ code: "media_not_found", message: "there is no such media here, or its upload is not complete", param });
    } else if (type !== null && type !== item.type) {
      problems.push({
        code: "media_type_mismatch",
        message: `this is ${item.type === "image" ? "an image" : "a video"}`,
        param: `${param}.type`,
        limit: item.type,
        actual: type,
      });
    } else {
      items.push(item);
    }
  }
  return { items, params: wanted.map(({ param }) => param), problems };
}
