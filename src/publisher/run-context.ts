import { accessFor, markNeedsReconnect } from "#accounts/index.ts";
import { SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import type { Fault, Result } from "#platforms/contract.ts";
import type { Moment, TargetRun } from "#posting/run/target-run.ts";
import type { PublishRun, TargetRow } from "#posting/run/store-run.ts";

type Granted = Awaited<ReturnType<typeof accessFor>> extends Map<string, Result<infer Access>> ? Access : never;

/** Access read this long before is still good: reading it again at the due instant would only be late. */
const ACCESS_FRESH_MS = 60 * SECOND;

/** What one awake object of a post works with. */
export class RunContext {
  private readonly opened = new Map<string, { readonly at: number; readonly access: Granted }>();

  constructor(
    readonly services: Services,
    /** Ends early when the signal says so. */
    readonly wait: (ms: number, signal: AbortSignal) => Promise<void>,
  ) {}

  /** What a single call needs of it. */
  tools(): Pick<RunContext, "services" | "wait"> {
    return { services: this.services, wait: this.wait };
  }

  now(): number {
    return this.services.clock.now();
  }

  /** Account by account, so that a login that hangs delays nobody but itself. */
  async access(accountId: string): Promise<Result<Granted>> {
    const kept = this.opened.get(accountId);
    if (kept && this.now() - kept.at < ACCESS_FRESH_MS) {
      return { ok: true, value: kept.access };
    }
    const found = (await accessFor(this.services, [accountId])).get(accountId);
    if (found?.ok) {
      this.opened.set(accountId, { at: this.now(), access: found.value });
    }
    return found ?? { ok: false, fault: GONE };
  }

  /** True: the account waits for its owner now. False: the token was old or nobody knows; another try will tell. */
  async reportRefusal(accountId: string, fault: Fault): Promise<boolean> {
    const kept = this.opened.get(accountId);
    this.opened.delete(accountId);
    const refused = kept && { tokenVersion: kept.access.tokenVersion, category: fault.category };
    try {
      return await markNeedsReconnect(this.services, accountId, fault.message, refused);
    } catch (error) {
      // The platform's answer is not in the journal yet, and must get there whatever happens here.
      log("warn", "publish.refusal_not_reported", { accountId, reason: String(error) });
      return false;
    }
  }

  moment(plan: PublishRun, target: TargetRow, httpStatus: number | null = null): Moment {
    const [word = 0] = new Uint32Array(this.services.ids.random(4).buffer);
    return {
      now: this.now(),
      dueAt: target.dueAt,
      postType: plan.post.postType,
      httpStatus,
      random: word / 2 ** 32,
    };
  }
}

export function targetOf(plan: PublishRun, run: Pick<TargetRun, "accountId">): TargetRow {
  const target = plan.targets.find((row) => row.accountId === run.accountId);
  if (!target) {
    throw new Error("the journal knows a target that the post does not have");
  }
  return target;
}

const GONE: Fault = {
  kind: "rejected",
  code: "account_disconnected",
  category: "auth",
  message: "The account was disconnected.",
  platformCode: null,
  httpStatus: null,
  whoMustAct: "user",
};
