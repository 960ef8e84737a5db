import { isArchived } from "#archive/index.ts";
import type { Context } from "#context.ts";
import { refuseInvalidState, refusePostNotFound } from "./refuse.ts";

/** Refuses a call that would change a post which is not in the database. The post may have moved to the archive. */
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
