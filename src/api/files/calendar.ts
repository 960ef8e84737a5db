import type { ApiContext } from "#api/env.ts";
import { refuse } from "#core/errors.ts";
import { readFeed } from "#feeds/index.ts";
import { countFeedRead, countInvalidCredential, WINDOW_SECONDS } from "#wire/rate-limit.ts";
import { etagsOf, includesEtag } from "./range.ts";

/** Serves the calendar feed of a workspace. The secret in the path is the only credential. */
export async function serveCalendar(c: ApiContext, secret: string): Promise<Response> {
  // mutant: unlimited-reads
  if (!(await countFeedRead(c.env, secret))) {
    refuse({
      code: "rate_limited",
      message: "this calendar was read too often: wait a minute",
      retryAfterSeconds: WINDOW_SECONDS,
    });
  }
  const known = c.req.header("if-none-match") ?? null;
  const feed = await readFeed(c.var.services, secret, etagsOf(known));
  if (feed === null) {
    // mutant: unlimited-guesses
    if (!(await countInvalidCredential(c.env, c.req.raw.headers))) {
      refuse({
        code: "rate_limited",
        message: "too many unknown addresses: wait a minute",
        retryAfterSeconds: WINDOW_SECONDS,
      });
    }
    return refuse({ code: "not_found", message: "there is nothing at this URL" });
  }
  const headers = {
    "cache-control": "private, max-age=300",
    "content-disposition": 'inline; filename="almanac.ics"',
    "content-type": "text/calendar; charset=utf-8",
    etag: feed.etag,
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-robots-tag": "noindex",
  };
  if (feed.text === null || includesEtag(known, feed.etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(c.req.method === "HEAD" ? null : feed.text, { headers });
}
