import type { Context } from "#context.ts";
import { selectFeeds } from "./store-feeds.ts";
import type { CalendarFeed } from "./types.ts";

/** Lists the calendar feeds of the active workspace, oldest first. Their URLs cannot be shown again. */
export async function listFeeds({ actor, db }: Pick<Context, "actor" | "db">): Promise<readonly CalendarFeed[]> {
  return await selectFeeds(db, actor);
}
