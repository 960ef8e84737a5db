import type { ArmHint } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import { withTimeout } from "#core/with-timeout.ts";
import type { Services } from "#context.ts";
import { recordArmingResults, findOverduePosts } from "#arming/find-overdue-posts.ts";

const PAGE_SIZE = 500;
/**
 * How many pages of posts one run arms. Each post takes one call of its object, and an invocation may make 10,000
 * calls.
 */
const MAX_PAGES = 10;
/** After this time (ms) a run arms nothing more, so that it ends before the cron's next run. */
const RUN_BUDGET_MS = 40 * SECOND;
/**
 * How many posts are armed in parallel. More is not faster, and on a single machine every awake object takes file
 * descriptors and memory.
 */
const MAX_CONCURRENT_ARMS = 25;
/** How many posts one write records as armed. */
const ACKNOWLEDGE_SIZE = 25;
/** How long (ms) to wait for an object, so that a silent one does not delay others. The next run arms it again. */
const ARM_TIMEOUT_MS = 5 * SECOND;

export interface ReconcileResult {
  readonly overdue: number;
  readonly armed: number;
  readonly failed: number;
}

/**
 * Wakes posts that lost their alarm, were never armed or make no progress. If there are none, it reads one row. Armed
 * posts are recorded in small groups, so that an aborted run repeats little.
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

/** Arms a page of posts in parallel, so that a silent object delays no other. */
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
          // Stop the others too. The next run arms the posts that are not recorded as armed.
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
