import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { deleteFeed } from "./store-feeds.ts";

/** Revokes a calendar feed, whose URL then is unknown at once. */
export async function revokeFeed({ actor, db }: Pick<Context, "actor" | "db">, input: { id: string }): Promise<void> {
  if (!(await deleteFeed(db, actor, input.id))) {
    refuse({ code: "not_found", message: "calendar address not found" });
  }
}
