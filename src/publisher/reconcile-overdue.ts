import type { ArmHint } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import { withTimeout } from "#core/with-timeout.ts";
import type { Services } from "#context.ts";
import { recordArmingResults, findOverduePosts } from "#arming/find-overdue-posts.ts";

const PAGE_SIZE = 500;
/** Each post takes one call to its object, and an invocation may make 10,000 calls. */
const MAX_PAGES = 10;
/** A run arms nothing after this, so that it ends before the cron's next run. */
const RUN_BUDGET_MS = 40 * SECOND;
/** More at once is not faster, and on a single machine every awake object takes file descriptors and memory. */
const MAX_CONCURRENT_ARMS = 25;
/** One write acknowledges this many posts. */
const ACKNOWLEDGE_SIZE = 25;
/** The next run arms an object again that has not answered by then; it must not delay the others. */
const ARM_TIMEOUT_MS = 5 * SECOND;

export interface ReconcileResult {
  readonly overdue: number;
  readonly armed: number;
  readonly failed: number;
}

/**
 * Wakes posts that lost their alarm, were never armed or make no progress; reads one row if there are none. It acknowledges armed posts
 * in small groups, so that an aborted run repeats little.
 */
export async function reconcile(
  services: Pick<Services, "db" | "clock" | "adapterFor" | "arm">,
  { armTimeoutMs = ARM_TIMEOUT_MS, beat = 0 }: { readonly armTimeoutMs?: number; readonly beat?: number } = {},
): Promise<ReconcileResult> {
  const stopAt = services.clock.now() + RUN_BUDGET_MS;
  let overdue = 0;
  let armed = 0;
  for (let page = 0; page < MAX_PAGES && services.clock.now() < stopAt; page += 1) {
    const hints = await findOverduePosts(services, { limit: PAGE_SIZE, beat });
    const armedPage = await armPage(services, hints, { stopAt, armTimeoutMs });
    overdue += armedPage.tried;
    armed += armedPage.armed;
    if (hints.length < PAGE_SIZE) {
      break;
    }
  }
  if (overdue > 0) {
    log("info", "reconcile.done", { overdue, armed });
  }
  return { overdue, armed, failed: overdue - armed };
}

/** Arms a page of posts concurrently: an object that does not answer delays no other. */
async function armPage(
  services: Pick<Services, "db" | "clock" | "arm">,
  hints: readonly ArmHint[],
  { stopAt, armTimeoutMs }: { readonly stopAt: number; readonly armTimeoutMs: number },
): Promise<{ readonly tried: number; readonly armed: number }> {
  const waiting = [...hints];
  const armedIds = new Set<string>();
  let tried = 0;
  let finished: ArmHint[] = [];
  const acknowledge = async () => {
    const group = finished;
    finished = [];
    await failpoint("reconcile.before_acknowledge");
    await recordArmingResults(services, group, armedIds);
  };
  const armNext = async () => {
    for (let hint = waiting.shift(); hint; hint = services.clock.now() < stopAt ? waiting.shift() : undefined) {
      tried += 1;
      if (await armOne(services, hint, armTimeoutMs)) {
        armedIds.add(hint.postId);
      }
      finished.push(hint);
      if (finished.length >= ACKNOWLEDGE_SIZE) {
        try {
          await acknowledge();
        } catch (error) {
          // Stop the others too. The next run arms the posts that were not acknowledged.
          waiting.length = 0;
          throw error;
        }
      }
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_ARMS }, armNext));
  if (finished.length > 0) {
    await acknowledge();
  }
  return { tried, armed: armedIds.size };
}

async function armOne(services: Pick<Services, "arm">, hint: ArmHint, timeoutMs: number): Promise<boolean> {
  try {
    await failpoint("reconcile.before_arm");
    // The timeout does not stop the call, but arming is safe to repeat.
    await withTimeout(services.arm(hint), timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`));
    return true;
  } catch (error) {
    log("warn", "reconcile.not_armed", { postId: hint.postId, reason: String(error) });
    return false;
  }
}
