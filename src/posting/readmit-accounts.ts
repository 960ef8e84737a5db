import { type Arming, armPosts } from "./arm.ts";
import { toArmable } from "./armable.ts";
import { readmit } from "./store-accounts.ts";

/** Accounts that came back: what waited for them and is still to come goes on at its time. Repeatable. */
export async function readmitAccounts(
  services: Arming,
  accountIds: readonly string[],
): Promise<{ readonly resumedPostIds: readonly string[] }> {
  if (accountIds.length === 0) {
    return { resumedPostIds: [] };
  }
  const changed = await readmit(services.db, accountIds, services.clock.now());
  const resumed = changed.filter(({ status }) => status === "scheduled");
  await armPosts(services, resumed.map(toArmable));
  return { resumedPostIds: resumed.map(({ id }) => id) };
}
