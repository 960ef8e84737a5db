import type { ArmHint } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { recordArmingResults, findOverduePosts } from "#posting/arming/find-overdue-posts.ts";

const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** On a single machine every object that wakes costs file descriptors and memory, and more at once is not faster. */
const MAX_CONCURRENT_ARMS = 25;
/** An object that has not answered by then is armed again at the next run; it must not hold up the others. */
const ARM_TIMEOUT_MS = 5 * SECOND;

export interface ReconcileResult {
  readonly overdue: number;
  readonly armed: number;
  readonly failed: number;
}

/**
 * Wakes posts that lost their alarm, were never armed or make no progress; reads one row when there are none. What was armed
 * is acknowledged group by group, so that a run which is cut off loses little.
 */
export async function reconcile(
  services: Pick<Services, "db" | "clock" | "adapterFor" | "arm">,
  { armTimeoutMs = ARM_TIMEOUT_MS }: { readonly armTimeoutMs?: number } = {},
): Promise<ReconcileResult> {
  let overdue = 0;
  let armed = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const hints = await findOverduePosts(services, PAGE_SIZE);
    for (let start = 0; start < hints.length; start += MAX_CONCURRENT_ARMS) {
      const group = hints.slice(start, start + MAX_CONCURRENT_ARMS);
      const armedIds = await armAll(services, group, armTimeoutMs);
      await failpoint("reconcile.before_acknowledge");
      await recordArmingResults(services, group, armedIds);
      overdue += group.length;
      armed += armedIds.size;
    }
    if (hints.length < PAGE_SIZE) {
      break;
    }
  }
  if (overdue > 0) {
    log("info", "reconcile.done", { overdue, armed });
  }
  return { overdue, armed, failed: overdue - armed };
}

async function armAll(
  services: Pick<Services, "arm">,
  hints: readonly ArmHint[],
  timeoutMs: number,
): Promise<Set<string>> {
  const armedIds = new Set<string>();
  await Promise.all(
    hints.map(async (hint) => {
      try {
        await failpoint("reconcile.before_arm");
        await withinMs(services.arm(hint), timeoutMs);
        armedIds.add(hint.postId);
      } catch (error) {
        log("warn", "reconcile.not_armed", { postId: hint.postId, reason: String(error) });
      }
    }),
  );
  return armedIds;
}

/** Throws after `timeoutMs`; the call itself goes on and does no harm, because arming can be repeated. */
async function withinMs<T>(call: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([call, expired]);
  } finally {
    clearTimeout(timer);
  }
}
