import {
  accountsWithConnectionsStatement,
  type AccountWithConnection,
  getAccountAccess,
  markNeedsReconnect,
  readAccountsWithConnections,
} from "#accounts/index.ts";
import { SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import type { Services } from "#context.ts";
import type { Fault, Result } from "#platforms/contract.ts";
import { CLAIM_AHEAD_MS } from "#publisher/run/claim-post.ts";
import type { StepContext, TargetRun } from "#publisher/run/target-run.ts";
import {
  postTypeOfTarget,
  type PublishRun,
  type PublishRunTarget,
  type ReadAlongside,
  TARGET_ACCOUNTS_SQL,
} from "#publisher/run/store-run.ts";

type GrantedAccess =
  Awaited<ReturnType<typeof getAccountAccess>> extends Map<string, Result<infer Access>> ? Access : never;

/** How long (ms) a login is cached, so that nothing need be read at the due time. */
const ACCESS_CACHE_MS = 60 * SECOND;

/** While publishing is held, a due post asks again after this time (ms), or after up to twice as long. */
const HELD_RETRY_MS = 30 * SECOND;

/** The services and cached logins of the runner of one post. */
export class RunContext {
  private readonly accessCache = new Map<string, { readonly readAt: number; readonly access: GrantedAccess }>();
  /** The accounts that the claim has read, by id. Each is used once, so that a refused login is read again. */
  private claimedAccounts = { readAt: 0, byId: new Map<string, AccountWithConnection>() };
  private readonly accessReads = new Map<string, Promise<Result<GrantedAccess>>>();

  constructor(
    readonly services: Services,
    /** Waits. It ends early if the signal is aborted. */
    readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  ) {}

  /** What one call of an adapter needs. */
  callDependencies(): Pick<RunContext, "services" | "sleep"> {
    return { services: this.services, sleep: this.sleep };
  }

  now(): number {
    return this.services.clock.now();
  }

  /**
   * Sleeps until the exact millisecond: timers may fire early, but nothing may be sent before the due time. False if
   * the clock went back, so that the due time is too far away and another alarm must wait.
   */
  async sleepUntil(dueAt: number): Promise<boolean> {
    // mutant: no-hold, one-second-early
    let remainingMs = dueAt - this.now();
    while (remainingMs > 0 && remainingMs <= CLAIM_AHEAD_MS) {
      await this.sleep(remainingMs, new AbortController().signal);
      const previousMs = remainingMs;
      remainingMs = dueAt - this.now();
      if (remainingMs >= previousMs) {
        return false;
      }
    }
    return remainingMs <= 0;
  }

  /** Reads the accounts and logins of a post in the same round trip as its claim. */
  accountsOfClaim(postId: string): ReadAlongside {
    return {
      statement: accountsWithConnectionsStatement(this.services.db, TARGET_ACCOUNTS_SQL, postId),
      take: (rows) => {
        const entries = readAccountsWithConnections(rows).map((entry) => [entry.account.id, entry] as const);
        this.claimedAccounts = { readAt: this.now(), byId: new Map(entries) };
      },
    };
  }

  /**
   * Starts to read logins without waiting, so that a slow token delays only its own target. The step itself gets a
   * failure again.
   */
  readAccessAhead(targets: readonly Pick<PublishRunTarget, "accountId">[]): void {
    for (const { accountId } of targets) {
      this.access(accountId).catch(() => undefined);
    }
  }

  /** Reads one account per call, so that a hanging token refresh delays only its own target. */
  async access(accountId: string): Promise<Result<GrantedAccess>> {
    const cached = this.accessCache.get(accountId);
    if (cached && this.now() - cached.readAt < ACCESS_CACHE_MS) {
      return { ok: true, value: cached.access };
    }
    const read =
      this.accessReads.get(accountId) ?? this.readAccess(accountId).finally(() => this.accessReads.delete(accountId));
    this.accessReads.set(accountId, read);
    return await read;
  }

  private async readAccess(accountId: string): Promise<Result<GrantedAccess>> {
    const { readAt, byId } = this.claimedAccounts;
    const claimed = this.now() - readAt < ACCESS_CACHE_MS ? byId.get(accountId) : undefined;
    byId.delete(accountId);
    const known = claimed && new Map([[accountId, claimed]]);
    const access = (await getAccountAccess(this.services, [accountId], known)).get(accountId);
    if (access?.ok) {
      this.accessCache.set(accountId, { readAt: this.now(), access: access.value });
    }
    return access ?? { ok: false, fault: ACCOUNT_DISCONNECTED };
  }

  /**
   * Whether the owner must reconnect the account. False if only the token was outdated, or if the check failed; the
   * step is then tried again.
   */
  async reportRefusal(accountId: string, fault: Fault): Promise<boolean> {
    const cached = this.accessCache.get(accountId);
    this.accessCache.delete(accountId);
    const refused = cached && { tokenVersion: cached.access.tokenVersion, category: fault.category };
    try {
      return await markNeedsReconnect(this.services, accountId, fault.message, refused);
    } catch (error) {
      // Do not throw, because the journal still needs the platform's answer.
      log("warn", "publish.refusal_not_reported", { accountId, reason: String(error) });
      return false;
    }
  }

  stepContext(publishRun: PublishRun, target: PublishRunTarget, httpStatus: number | null = null): StepContext {
    return {
      now: this.now(),
      dueAt: target.dueAt,
      postType: postTypeOfTarget(publishRun, target),
      acceptedLimitMs: this.services.adapterFor(target.platform)?.processingLimitMs,
      httpStatus,
      random: this.random(),
    };
  }

  /** When (ms) to ask again while publishing is held. The time is random, so that posts do not all ask at once. */
  heldUntil(): number {
    return this.now() + Math.ceil(HELD_RETRY_MS * (1 + this.random()));
  }

  /** A random number in [0, 1), for the jitter of a wait. */
  random(): number {
    const [randomBits = 0] = new Uint32Array(this.services.ids.random(4).buffer);
    return randomBits / 2 ** 32;
  }
}

export function targetOf(publishRun: PublishRun, run: Pick<TargetRun, "accountId">): PublishRunTarget {
  const target = publishRun.targets.find((row) => row.accountId === run.accountId);
  if (!target) {
    throw new Error("the journal has a target that the post does not have");
  }
  return target;
}

const ACCOUNT_DISCONNECTED: Fault = {
  kind: "rejected",
  code: "account_disconnected",
  category: "auth",
  message: "The account was disconnected.",
  platformCode: null,
  httpStatus: null,
  whoMustAct: "user",
};
