import type { ArmHint } from "#core/arming.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { recordArmingResults, findOverduePosts } from "#posting/arming/find-overdue-posts.ts";

const PAGE_SIZE = 100;
const MAX_PAGES = 5;
/** On a single machine every object that wakes costs file descriptors and memory, and more at once is not faster. */
const MAX_CONCURRENT_ARMS = 25;

export interface ReconcileResult {
  readonly overdue: number;
  readonly armed: number;
  readonly failed: number;
}

/** Wakes posts that lost their alarm, were never armed or make no progress; reads one row when there are none. */
export async function reconcile(
  services: Pick<Services, "db" | "clock" | "adapterFor" | "arm">,
): Promise<ReconcileResult> {
  let overdue = 0;
  let armed = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const hints = await findOverduePosts(services, PAGE_SIZE);
    if (hints.length === 0) {
      break;
    }
    const armedIds = await armAll(services, hints);
    await failpoint("reconcile.before_acknowledge");
    await recordArmingResults(services, hints, armedIds);
    overdue += hints.length;
    armed += armedIds.size;
    if (hints.length < PAGE_SIZE) {
      break;
    }
  }
  if (overdue > 0) {
    log("info", "reconcile.done", { overdue, armed });
  }
  return { overdue, armed, failed: overdue - armed };
}

async function armAll(services: Pick<Services, "arm">, hints: readonly ArmHint[]): Promise<Set<string>> {
  const armedIds = new Set<string>();
  const queue = [...hints];
  const worker = async () => {
    for (let hint = queue.shift(); hint; hint = queue.shift()) {
      try {
        await failpoint("reconcile.before_arm");
        await services.arm(hint);
        armedIds.add(hint.postId);
      } catch (error) {
        log("warn", "reconcile.not_armed", { postId: hint.postId, reason: String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_ARMS, hints.length) }, worker));
  return armedIds;
}
