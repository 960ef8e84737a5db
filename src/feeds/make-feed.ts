import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { createFeedSecret, hashFeedSecret } from "./feed-secret.ts";
import { insertFeed } from "./store-feeds.ts";
import type { NewCalendarFeed } from "./types.ts";

const MAX_FEEDS = 10;

/** Creates a URL at which calendar programs read the posts of the active workspace. */
export async function makeFeed({
  actor,
  clock,
  config,
  db,
  ids,
}: Pick<Context, "actor" | "clock" | "config" | "db" | "ids">): Promise<NewCalendarFeed> {
  const secret = createFeedSecret(ids);
  const id = (await hashFeedSecret(secret)) ?? "";
  const now = clock.now();
  if (!(await insertFeed(db, actor, { hash: id, now }, MAX_FEEDS))) {
    refuse({
      code: "invalid_state",
      message: `this workspace has ${MAX_FEEDS} calendar addresses: revoke one that is no longer used`,
    });
  }
  return { id, createdAt: now, url: `${config.origin}/calendar/${secret}.ics` };
}
