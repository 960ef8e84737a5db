import { DurableObject } from "cloudflare:workers";
import { batch, type FloorEnv, respond, respondNotFound, respondUnknownCredential } from "./floor-batch.ts";
import { FLOOR_SQL } from "./floor-sql.ts";
import { cancel, confirm, confirmEdit, preview, previewEdit } from "./floor-writes.ts";

/*
 * The floor: the least that a Worker can do for the same requests, without a library. One D1 batch with the credential's lookup in it,
 * the same rate limits, the same calls of KV and of the post's object, and a response with the same body and headers. Pages are built
 * by SQLite. Nothing of the request is checked, and what a preview finds out about a text is written down here.
 */

const DAY = 86_400_000;
const SLOT = 900_000;

/** Makes the storage calls that the post's object needs. */
export class PostPublisher extends DurableObject<FloorEnv> {
  sync(hint: { readonly postId: string; readonly at: number } | null): void {
    const { kv } = this.ctx.storage;
    kv.get("state");
    if (hint === null) {
      void this.ctx.storage.deleteAlarm();
      void this.ctx.storage.deleteAll();
    } else {
      kv.put("state", hint);
      void this.ctx.storage.setAlarm(hint.at - 1000);
    }
  }

  /** The runtime requires it before an alarm can be set; none is due during a measurement. */
  override alarm(): void {}
}

/** The bindings name the class, so it must exist. No request reaches it. */
export class DatabaseWatch extends DurableObject<FloorEnv> {}
export class WebhookSender extends DurableObject<FloorEnv> {}

async function list(env: FloorEnv, request: Request, url: string): Promise<Response> {
  const limit = Number(url.slice(url.indexOf("limit=") + "limit=".length));
  const found = await batch(env, request, (hash, now) => [
    env.DB.prepare(FLOOR_SQL.list).bind(hash, now, limit),
    env.DB.prepare(FLOOR_SQL.total).bind(hash, now, Math.ceil(now / DAY)),
  ]);
  if (found === null) {
    return respondUnknownCredential(env);
  }
  const [page, total] = found.rows;
  const hasMore = Number(total?.["total"]) > limit;
  return respond(
    `{"posts":${page?.["posts"]},"pagination":{"limit":${limit},"offset":0,"total":${total?.["total"]},"has_more":${hasMore},"next_offset":${hasMore ? limit : null}}}`,
  );
}

async function get(env: FloorEnv, request: Request, id: string): Promise<Response> {
  const found = await batch(env, request, (hash) => [env.DB.prepare(FLOOR_SQL.get).bind(hash, id)]);
  if (found === null) {
    return respondUnknownCredential(env);
  }
  const post = found.rows[0]?.["post"];
  return post === undefined ? respondNotFound() : respond(`{"post":${post}}`);
}

/** The slots of every day with posts, as pairs of a quarter hour of the day and a count. */
type Days = readonly (readonly [day: number, slots: Readonly<Record<string, number>>])[];

async function summary(env: FloorEnv, request: Request): Promise<Response> {
  const found = await batch(env, request, (hash, now) => {
    const slot = Math.floor(now / SLOT) * SLOT;
    const ranges = [1, 7, 30].map((days) => now + days * DAY);
    const partial = [[now, slot + SLOT], ...ranges.map((end) => [Math.floor(end / SLOT) * SLOT, end])];
    return [
      env.DB.prepare(FLOOR_SQL.summary).bind(
        hash,
        now,
        Math.floor((slot - 90 * DAY) / DAY),
        Math.floor((slot + 90 * DAY) / DAY),
        JSON.stringify(partial),
      ),
    ];
  });
  if (found === null) {
    return respondUnknownCredential(env);
  }
  const row = found.rows[0] ?? {};
  const now = Date.now();
  const currentSlot = Math.floor(now / SLOT);
  const [first, until] = [currentSlot - 90 * 96, currentSlot + 90 * 96];
  const ends = [1, 7, 30].map((days) => Math.floor((now + days * DAY) / SLOT));
  const [before = 0, ...upcoming] = JSON.parse(row["partial"] ?? "[]") as number[];
  const cells: number[] = [];
  for (const [day, slots] of JSON.parse(row["days"] ?? "[]") as Days) {
    const weekday = (day + 3) % 7;
    for (const slot in slots) {
      const count = slots[slot] ?? 0;
      const at = day * 96 + Number(slot);
      if (at >= first && at < until) {
        const cell = weekday * 24 + Math.floor(Number(slot) / 4);
        cells[cell] = (cells[cell] ?? 0) + count;
      }
      if (at > currentSlot) {
        for (let end = 0; end < 3; end += 1) {
          upcoming[end] = (upcoming[end] ?? 0) + (at < (ends[end] ?? 0) ? count : 0);
        }
      }
    }
  }
  const byWeekday: number[] = [];
  const byHour: number[] = [];
  const busiest: { readonly weekday: number; readonly hour: number; readonly count: number }[] = [];
  let total = 0;
  for (let cell = 0; cell < 168; cell += 1) {
    const count = cells[cell] ?? 0;
    const hour = cell % 24;
    const weekday = (cell - hour) / 24;
    byWeekday[weekday] = (byWeekday[weekday] ?? 0) + count;
    byHour[hour] = (byHour[hour] ?? 0) + count;
    total += count;
    if (count > (busiest[4]?.count ?? 0)) {
      let place = 0;
      while (place < busiest.length && (busiest[place]?.count ?? 0) >= count) {
        place += 1;
      }
      busiest.splice(place, 0, { weekday, hour, count });
      busiest.length = Math.min(5, busiest.length);
    }
  }
  const [next24Hours = 0, next7Days = 0, next30Days = 0] = upcoming;
  const ahead = {
    next_24_hours: next24Hours + before,
    next_7_days: next7Days + before,
    next_30_days: next30Days + before,
  };
  const patterns = {
    by_weekday: byWeekday,
    by_hour: byHour,
    busiest,
    posts_per_week: Math.round((total / (180 / 7)) * 100) / 100,
  };
  return respond(
    `{"timezone":"UTC","counts":${row["counts"]},"by_platform":${row["platforms"]},"next_post_at":${row["next"]},"upcoming":${JSON.stringify(ahead)},"patterns":${JSON.stringify(patterns)},"lateness":{"p50_ms":null,"p99_ms":null,"max_ms":null,"sample":0}}`,
  );
}

export default {
  async fetch(request, env, ctx) {
    const { url, method } = request;
    const path = url.slice(url.indexOf("/v1/") + "/v1/".length);
    if (method === "GET") {
      return path.startsWith("schedule/")
        ? await summary(env, request)
        : path.startsWith("posts/")
          ? await get(env, request, path.slice("posts/".length))
          : await list(env, request, url);
    }
    if (method === "DELETE") {
      return await cancel(env, ctx, request, path.slice("posts/".length));
    }
    switch (path) {
      case "posts/preview":
        return await preview(env, request);
      case "posts/confirm":
        return await confirm(env, ctx, request);
      case "posts/edit/preview":
        return await previewEdit(env, request);
      case "posts/edit/confirm":
        return await confirmEdit(env, ctx, request);
      default:
        return respondNotFound();
    }
  },
} satisfies ExportedHandler<FloorEnv>;
