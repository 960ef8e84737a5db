import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type {
  Adapter,
  CommitOutcome,
  Fault,
  Job,
  PrepareOutcome,
  VerifyOutcome,
  PlatformClient,
} from "#platforms/contract.ts";

/** What the platform took, and when: the judge. */
export interface Accepted {
  readonly postId: string;
  readonly accountId: string;
  readonly caption: string;
  readonly at: number;
  readonly part: JsonValue;
}

/**
 * What the next visible call meets. `lost_after`, `wrong_after`: it happened and the answer does not say so. `lost_before`,
 * `error_before`: it did not happen and the answer does not say so either.
 */
export type CommitPlay =
  | "ok"
  | "lost_before"
  | "lost_after"
  | "wrong_after"
  | "rate_limited"
  | "rejected"
  | "reconnect"
  | "stale"
  | "accepted"
  | { readonly outcome: CommitOutcome };

export type PreparePlay =
  | "ready"
  | "again"
  | "temporary"
  | "rate_limited"
  | "rejected"
  | "throws"
  | { readonly outcome: PrepareOutcome };

export function fault(kind: Fault["kind"], more: Partial<Fault> = {}): Fault {
  const code = {
    reconnect: "auth_expired",
    rate_limited: "rate_limited",
    temporary: "platform_unavailable",
    rejected: "rejected",
  }[kind];
  return {
    kind,
    code,
    category: kind === "reconnect" ? "auth" : "platform",
    message: `the platform said ${kind}`,
    platformCode: "E1",
    httpStatus: { reconnect: 401, rate_limited: 429, temporary: 503, rejected: 400 }[kind],
    whoMustAct: "platform",
    ...more,
  };
}

/** A platform played in memory, as an adapter sees it. Everything succeeds unless told otherwise. */
export class FakePlatform {
  readonly book: Accepted[] = [];
  readonly calls: { step: "prepare" | "commit" | "verify"; postId: string; accountId: string; at: number }[] = [];
  readonly commits: CommitPlay[] = [];
  readonly prepares: PreparePlay[] = [];
  readonly verifies: VerifyOutcome[] = [];
  /** Outcomes that are tried before the common ones, for one account alone. */
  readonly ofAccount = new Map<
    string,
    { commits?: CommitPlay[]; prepares?: PreparePlay[]; verifies?: VerifyOutcome[] }
  >();
  prepareAheadMs = 0;
  /** False: nobody can find out here whether a post arrived. */
  canVerify = true;
  /** Awaited inside each call, before anything happens. */
  before: (step: "prepare" | "commit" | "verify", job: Job) => Promise<void> = () => Promise.resolve();
  /** Visible calls that one target needs. */
  parts = 1;

  constructor(
    readonly platform: Platform,
    private readonly now: () => number,
  ) {}

  accepted(postId: string, accountId?: string): Accepted[] {
    return this.book.filter((entry) => entry.postId === postId && (!accountId || entry.accountId === accountId));
  }

  called(step: "prepare" | "commit" | "verify", postId?: string): number {
    return this.calls.filter((call) => call.step === step && (!postId || call.postId === postId)).length;
  }

  get adapter(): Adapter {
    return {
      platform: this.platform,
      hosts: ["api.example.com"],
      limits: {
        caption: { max: 1000, unit: "characters" },
        media: { textOnly: true, images: null, videos: null, mixed: true },
        dailyCaps: [],
      },
      options: z.looseObject({}),
      connect: {
        authorizeUrl: () => new URL("https://api.example.com/"),
        exchange: () => Promise.reject(new Error("not here")),
        accounts: () => Promise.reject(new Error("not here")),
        refreshAheadMs: 0,
      },
      validate: (draft) => ({
        options: draft.options,
        placement: null,
        captionLength: draft.caption.length,
        captionLimit: 1000,
        problems: [],
        warnings: [],
        cost: null,
      }),
      prepareAheadMs: () => this.prepareAheadMs,
      prepare: (client, job, cursor) => this.prepare(client, job, cursor),
      commit: (_wire, job, ref) => this.commit(job, ref),
      verify: (_wire, job) => this.verify(job),
    };
  }

  private async enter(step: "prepare" | "commit" | "verify", job: Job): Promise<void> {
    this.calls.push({ step, postId: job.postId, accountId: job.accountId, at: this.now() });
    await this.before(step, job);
  }

  private async prepare(_wire: PlatformClient, job: Job, _cursor: JsonValue | undefined): Promise<PrepareOutcome> {
    await this.enter("prepare", job);
    const play = this.ofAccount.get(job.accountId)?.prepares?.shift() ?? this.prepares.shift() ?? "ready";
    switch (play) {
      case "ready":
        return { state: "ready", ref: { caption: job.caption } };
      case "again":
        return { state: "again", afterSeconds: 5, cursor: { at: this.now() } };
      case "throws":
        throw new Error("connection reset");
      case "temporary":
      case "rejected":
        return { state: "refused", fault: fault(play) };
      case "rate_limited":
        return { state: "refused", fault: fault(play, { retryAfterSeconds: 90 }) };
      default:
        return play.outcome;
    }
  }

  private async commit(job: Job, ref: JsonValue): Promise<CommitOutcome> {
    await this.enter("commit", job);
    const play = this.ofAccount.get(job.accountId)?.commits?.shift() ?? this.commits.shift() ?? "ok";
    switch (play) {
      case "ok":
        return this.accept(job, ref);
      case "lost_after":
        this.accept(job, ref);
        throw new TypeError("Network connection lost.");
      case "wrong_after":
        this.accept(job, ref);
        return { state: "uncertain", detail: "500 from the platform", httpStatus: 500 };
      case "lost_before":
        throw new TypeError("Network connection lost.");
      case "rate_limited":
        return { state: "refused", fault: fault(play, { retryAfterSeconds: 90 }) };
      case "rejected":
      case "reconnect":
        return { state: "refused", fault: fault(play) };
      case "stale":
        return { state: "stale", detail: "the container expired" };
      case "accepted":
        this.accept(job, ref);
        return { state: "accepted", ref, afterSeconds: 5 };
      default:
        return play.outcome;
    }
  }

  private async verify(job: Job): Promise<VerifyOutcome> {
    await this.enter("verify", job);
    const play = this.ofAccount.get(job.accountId)?.verifies?.shift() ?? this.verifies.shift();
    if (play) {
      return play;
    }
    if (!this.canVerify) {
      return { state: "cannot_tell", detail: "the platform has no way to look" };
    }
    const done = partsOf(job.progress);
    const found = this.accepted(job.postId, job.accountId).filter(
      (entry) => entry.part === done && entry.at >= (job.committedAt ?? 0),
    );
    if (found.length === 0) {
      return { state: "absent" };
    }
    return this.parts > done + 1
      ? { state: "more", ref: { part: done + 1 }, progress: { done: done + 1 } }
      : { state: "published", remoteId: `r-${job.postId}`, url: null };
  }

  /** What was prepared is what becomes public. */
  private accept(job: Job, ref: JsonValue): CommitOutcome {
    const done = partsOf(job.progress);
    const caption = (ref as { caption?: string } | null)?.caption ?? job.caption;
    this.book.push({ postId: job.postId, accountId: job.accountId, caption, at: this.now(), part: done });
    return this.parts > done + 1
      ? { state: "more", ref: { part: done + 1 }, progress: { done: done + 1 } }
      : { state: "published", remoteId: `r-${job.postId}`, url: `https://example.com/${job.postId}` };
  }
}

function partsOf(progress: JsonValue): number {
  return (progress as { done?: number } | null)?.done ?? 0;
}
