import type { ArmHint } from "#core/arming.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import { acknowledgeArming, findOverdue } from "#posting/arming/find-overdue-posts.ts";

const PAGE = 100;
const MAX_PAGES = 5;
/** Waking many objects at once costs files and memory on one machine, and nothing is won by it. */
const AT_ONCE = 25;

export interface Reconciled {
  readonly overdue: number;
  readonly armed: number;
  readonly failed: number;
}

/** Finds what lost its alarm, was never armed, or stands still, and wakes it; costs one row when there is nothing. */
export async function reconcile(services: Pick<Services, "db" | "clock" | "adapterFor" | "arm">): Promise<Reconciled> {
  let overdue = 0;
  let armed = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const hints = await findOverdue(services, PAGE);
    if (hints.length === 0) {
      break;
    }
    const answered = await armAll(services, hints);
    await failpoint("reconcile.before_push");
    await acknowledgeArming(services, hints, answered);
    overdue += hints.length;
    armed += answered.size;
    if (hints.length < PAGE) {
      break;
    }
  }
  if (overdue > 0) {
    log("info", "reconcile.done", { overdue, armed });
  }
  return { overdue, armed, failed: overdue - armed };
}

async function armAll(services: Pick<Services, "arm">, hints: readonly ArmHint[]): Promise<Set<string>> {
  const answered = new Set<string>();
  const queue = [...hints];
  const worker = async () => {
    for (let hint = queue.shift(); hint; hint = queue.shift()) {
      try {
        await failpoint("reconcile.before_arm");
        await services.arm(hint);
        answered.add(hint.postId);
      } catch (error) {
        log("warn", "reconcile.not_armed", { postId: hint.postId, reason: String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, hints.length) }, worker));
  return answered;
}
