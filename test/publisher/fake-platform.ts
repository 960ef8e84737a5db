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
import { BROWSER_LOGIN } from "#platforms/defer-calls.ts";
import { type Extra, withExtras } from "#platforms/extras.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";
import { plainAppearance } from "../support/scripted-adapter.ts";

/** A post as the platform accepted it; the tests compare the stored state with it. */
export interface AcceptedPost {
  readonly postId: string;
  readonly accountId: string;
  readonly caption: string;
  readonly acceptedAt: number;
  readonly part: JsonValue;
}

/**
 * What the platform does with the next `commit`. `lost_after`, `wrong_after`: it accepts the post, but the answer is lost or
 * says otherwise. `lost_before`: it does not accept the post, and the answer is lost.
 */
export type CommitBehaviour =
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

export type PrepareBehaviour =
  | "ready"
  | "again"
  | "temporary"
  | "rate_limited"
  | "rejected"
  | "throws"
  | { readonly outcome: PrepareOutcome };

export function createFault(kind: Fault["kind"], more: Partial<Fault> = {}): Fault {
  const code = (
    {
      reconnect: "auth_expired",
      rate_limited: "rate_limited",
      temporary: "platform_unavailable",
      rejected: "rejected",
    } as const
  )[kind];
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

/** An in-memory platform with its adapter. Every call succeeds unless a test queues another behaviour. */
export class FakePlatform {
  readonly acceptedPosts: AcceptedPost[] = [];
  readonly calls: { step: "prepare" | "commit" | "verify"; postId: string; accountId: string; at: number }[] = [];
  readonly commitBehaviours: CommitBehaviour[] = [];
  readonly prepareBehaviours: PrepareBehaviour[] = [];
  readonly verifyOutcomes: VerifyOutcome[] = [];
  /** Behaviours of a single account; used before those above. */
  readonly accountBehaviours = new Map<
    string,
    { commits?: CommitBehaviour[]; prepares?: PrepareBehaviour[]; verifies?: VerifyOutcome[] }
  >();
  prepareAheadMs = 0;
  /** False: `verify` cannot tell whether a post arrived. */
  canVerify = true;
  /** Awaited at the start of each call, before anything happens. */
  beforeCall: (step: "prepare" | "commit" | "verify", job: Job) => Promise<void> = () => Promise.resolve();
  /** The number of visible calls that one target needs. */
  visibleCalls = 1;
  /** Whether a comment of the account follows each post. */
  firstComments = false;
  /** The posts with a comment, once for each comment. */
  readonly comments: string[] = [];
  /** How long an accepted post is missing in the list; its adapter waits as long before it reports a post as absent. */
  listingLagMs = 0;

  constructor(
    readonly platform: Platform,
    private readonly now: () => number,
  ) {}

  acceptedFor(postId: string, accountId?: string): AcceptedPost[] {
    return this.acceptedPosts.filter(
      (entry) => entry.postId === postId && (!accountId || entry.accountId === accountId),
    );
  }

  callCount(step: "prepare" | "commit" | "verify", postId?: string): number {
    return this.calls.filter((call) => call.step === step && (!postId || call.postId === postId)).length;
  }

  get adapter(): Adapter {
    return {
      platform: this.platform,
      hosts: ["api.example.com"],
      hasUserNamedHosts: false,
      operatorCredentials: "required",
      dataPolicy: { use: "Tests.", revoke: "Nowhere.", statements: [], links: [] },
      appearance: ({ caption }) => plainAppearance(caption),
      limits: {
        caption: { max: 1000, unit: "characters" },
        media: {
          textOnly: true,
          images: null,
          videos: null,
          mixed: true,
          altText: { types: [], max: null },
          covers: { atMs: false, image: null },
        },
        rules: [],
        dailyCaps: [],
        duplicateText: null,
      },
      options: z.looseObject({}),
      connect: {
        methods: [
          {
            ...BROWSER_LOGIN,
            ...redirectLogin({
              authorizeUrl: () => new URL("https://api.example.com/"),
              exchangeCode: () => Promise.reject(new Error("not implemented by the fake platform")),
            }),
          },
        ],
        listAccounts: () => Promise.reject(new Error("not implemented by the fake platform")),
        tokenRefresh: { kind: "none" },
        revoke: null,
      },
      validate: (input) => ({
        options: input.options,
        placement: null,
        captionLength: input.caption.length,
        captionLimit: 1000,
        problems: [],
        warnings: [],
        cost: null,
      }),
      prepareAheadMs: () => this.prepareAheadMs,
      prepare: (client, job, cursor) => this.prepare(client, job, cursor),
      ...withExtras(
        {
          commit: (_client, job, ref) => this.commit(job, ref),
          verify: (_client, job) => this.verify(job),
        },
        [this.comment],
      ),
    };
  }

  /** The first comment of each post, where `firstComments` are on. */
  private readonly comment: Extra = {
    name: "first_comment",
    count: () => (this.firstComments ? 1 : 0),
    send: (_client, { postId }) => {
      this.comments.push(postId);
      return Promise.resolve({ ok: true, value: { id: `c-${postId}`, url: null } });
    },
    look: (_client, { postId }) =>
      Promise.resolve({ ok: true, value: this.comments.includes(postId) ? { id: `c-${postId}`, url: null } : null }),
  };

  private async recordCall(step: "prepare" | "commit" | "verify", job: Job): Promise<void> {
    this.calls.push({ step, postId: job.postId, accountId: job.accountId, at: this.now() });
    await this.beforeCall(step, job);
  }

  private async prepare(_client: PlatformClient, job: Job, _cursor: JsonValue | undefined): Promise<PrepareOutcome> {
    await this.recordCall("prepare", job);
    const behaviour =
      this.accountBehaviours.get(job.accountId)?.prepares?.shift() ?? this.prepareBehaviours.shift() ?? "ready";
    switch (behaviour) {
      case "ready":
        return { state: "ready", ref: { caption: job.caption } };
      case "again":
        return { state: "again", afterSeconds: 5, cursor: { at: this.now() } };
      case "throws":
        throw new Error("connection reset");
      case "temporary":
      case "rejected":
        return { state: "refused", fault: createFault(behaviour) };
      case "rate_limited":
        return { state: "refused", fault: createFault(behaviour, { retryAfterSeconds: 90 }) };
      default:
        return behaviour.outcome;
    }
  }

  private async commit(job: Job, ref: JsonValue): Promise<CommitOutcome> {
    await this.recordCall("commit", job);
    const behaviour =
      this.accountBehaviours.get(job.accountId)?.commits?.shift() ?? this.commitBehaviours.shift() ?? "ok";
    switch (behaviour) {
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
        return { state: "refused", fault: createFault(behaviour, { retryAfterSeconds: 90 }) };
      case "rejected":
      case "reconnect":
        return { state: "refused", fault: createFault(behaviour) };
      case "stale":
        return { state: "stale", detail: "the container expired" };
      case "accepted":
        this.accept(job, ref);
        return { state: "accepted", ref, afterSeconds: 5 };
      default:
        return behaviour.outcome;
    }
  }

  private async verify(job: Job): Promise<VerifyOutcome> {
    await this.recordCall("verify", job);
    const behaviour = this.accountBehaviours.get(job.accountId)?.verifies?.shift() ?? this.verifyOutcomes.shift();
    if (behaviour) {
      return behaviour;
    }
    if (!this.canVerify) {
      return { state: "cannot_tell", detail: "the platform has no endpoint for reading posts" };
    }
    const doneCount = doneCountOf(job.progress);
    const matches = this.acceptedFor(job.postId, job.accountId).filter(
      (entry) =>
        entry.part === doneCount &&
        entry.acceptedAt >= (job.committedAt ?? 0) &&
        // A platform without a lag lists what it has, also to a caller whose clock went back.
        (this.listingLagMs === 0 || entry.acceptedAt + this.listingLagMs <= job.now),
    );
    if (matches.length === 0) {
      const waitMs = (job.lastCommittedAt ?? job.now) + this.listingLagMs - job.now;
      return this.listingLagMs > 0 && waitMs > 0
        ? { state: "again", afterSeconds: waitMs / 1000, isProcessing: false }
        : { state: "absent" };
    }
    return this.visibleCalls > doneCount + 1
      ? { state: "more", ref: { part: doneCount + 1 }, progress: { done: doneCount + 1 } }
      : { state: "published", remoteId: `r-${job.postId}`, url: null };
  }

  /** Accepts the caption that was prepared, as a real platform publishes its container. */
  private accept(job: Job, ref: JsonValue): CommitOutcome {
    const doneCount = doneCountOf(job.progress);
    const caption = (ref as { caption?: string } | null)?.caption ?? job.caption;
    this.acceptedPosts.push({
      postId: job.postId,
      accountId: job.accountId,
      caption,
      acceptedAt: this.now(),
      part: doneCount,
    });
    return this.visibleCalls > doneCount + 1
      ? { state: "more", ref: { part: doneCount + 1 }, progress: { done: doneCount + 1 } }
      : { state: "published", remoteId: `r-${job.postId}`, url: `https://example.com/${job.postId}` };
  }
}

function doneCountOf(progress: JsonValue): number {
  return (progress as { done?: number } | null)?.done ?? 0;
}
