import type { Context } from "#context.ts";
import { type NoticeReference, setDismissed } from "./store-notices.ts";

/**
 * Removes a notice from the list of the active workspace and ends its mails. Does nothing if the notice is already
 * solved, or if something new happened to the same subject after `at`.
 */
export async function dismissNotice(
  { actor, clock, db }: Pick<Context, "actor" | "clock" | "db">,
  notice: NoticeReference,
): Promise<void> {
  await setDismissed(db, actor, notice, clock.now());
}
