import { isArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { refuseInvalidState, refusePostNotFound } from "./refuse.ts";

/** Refuses a change of a post that is not in the database. The refusal differs if the post is in the archive. */
export async function refuseMissingPost(
  ctx: Pick<Context, "actor" | "clock" | "db">,
  id: string,
  change: "cancelled" | "changed" | "paused" | "resumed",
): Promise<never> {
  if (await isArchived(ctx, id)) {
    refuseInvalidState(`an archived post cannot be ${change}`);
  }
  refusePostNotFound();
}
