import type { Context } from "#context.ts";
import { type NoticeReference, setDismissed } from "./store-notices.ts";

/**
 * Takes a notice off the list of the active workspace; no mail is sent about it any more. Nothing happens when it is settled already, or
 * when something new happened to the same subject since `at`.
 */
export async function dismissNotice(
  { actor, clock, db }: Pick<Context, "actor" | "clock" | "db">,
  notice: NoticeReference,
): Promise<void> {
  await setDismissed(db, actor, notice, clock.now());
}
