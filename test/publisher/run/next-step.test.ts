import { describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { TARGET_STATES } from "#core/status.ts";
import type { CommitOutcome, Fault, VerifyOutcome } from "#platforms/contract.ts";
import {
  afterCommit,
  afterEarlyFault,
  afterNoAccess,
  afterExpiredToken,
  afterPrepare,
  afterVerify,
  backoffMs,
  recordCommitIntent,
  MAX_STALE_REFERENCES,
  MAX_RUN_ATTEMPTS,
  startStep,
  currentStep,
  VERIFY_WAITS_SECONDS,
} from "#publisher/run/next-step.ts";
import { startAsUncertain, recoverInterruptedCommit } from "#publisher/run/start-target.ts";
import { completionEvent, isTerminal, POST_TRANSITIONS, TARGET_TRANSITIONS } from "#posts/rows/state-machine.ts";
import { createTargetRun, MAX_HISTORY, type StepContext, type TargetRun } from "#publisher/run/target-run.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const row = { accountId: "a", attempts: 0, nextAttemptAt: null, progress: null, history: [] };
const context = (over: Partial<StepContext> = {}): StepContext => ({
  now: NOW,
  dueAt: NOW,
  postType: "text",
  httpStatus: null,
  random: 0.5,
  ...over,
});
const FAULT_CODES = {
  reconnect: "auth_expired",
  rate_limited: "rate_limited",
  temporary: "platform_unavailable",
  rejected: "rejected",
} as const satisfies Record<Fault["kind"], Fault["code"]>;
const fault = (kind: Fault["kind"], over: Partial<Fault> = {}): Fault => ({
  kind,
  code: FAULT_CODES[kind],
  category: "platform",
  message: `said ${kind}`,
  platformCode: null,
  httpStatus: 400,
  whoMustAct: "platform",
  ...over,
});

const pending = () => startStep(createTargetRun(row, NOW), NOW);
const prepared = () => afterPrepare(pending(), { state: "ready", ref: "r1" }, context());
const committing = () => recordCommitIntent(prepared(), NOW);
const verifying = () => afterCommit(committing(), { state: "uncertain", detail: "500", httpStatus: 500 }, context());

describe("the target transition table", () => {
  test("T1 (start): a new target prepares; a target without preparation continues with the visible call at once", () => {
    expect(currentStep(pending())).toBe("prepare");
    expect(currentStep(prepared())).toBe("commit");
    expect(prepared().wakeAt).toBe(NOW);
  });

  test("T2 (preparation continues): every cursor is stored, and the next step runs when the platform asked for it", () => {
    const run = afterPrepare(pending(), { state: "again", afterSeconds: 5, cursor: { chunk: 3 } }, context());
    expect(run).toMatchObject({ state: "processing", cursor: { value: { chunk: 3 } }, wakeAt: NOW + 5 * SECOND });
    const next = afterPrepare(run, { state: "again", afterSeconds: 0, cursor: { chunk: 4 } }, context());
    expect(next).toMatchObject({ state: "preparing", wakeAt: NOW });
  });

  test("T2 (preparation continues): an unchanged cursor causes no busy loop", () => {
    const first = afterPrepare(pending(), { state: "again", afterSeconds: 0, cursor: 1 }, context());
    expect(afterPrepare(first, { state: "again", afterSeconds: 0, cursor: 1 }, context()).wakeAt).toBe(NOW + SECOND);
  });

  test("T3 (temporary fault): waits and uses one attempt", () => {
    const run = afterPrepare(pending(), { state: "refused", fault: fault("temporary") }, context());
    expect(run).toMatchObject({ state: "retry_wait", attempts: 1, runAttempts: 1, wakeAt: NOW + 15 * SECOND });
    expect(startStep(run, NOW).attempts).toBe(2);
  });

  test.each([
    ["text", 30 * MINUTE],
    ["image", 30 * MINUTE],
    ["video", 2 * HOUR],
  ] as const)("T4 (processing limit): processing of a %s fails after its time limit", (postType, limit) => {
    const again = { state: "again", afterSeconds: 5, cursor: null } as const;
    const run = afterPrepare(pending(), again, context({ postType }));
    expect(afterPrepare(run, again, context({ postType, now: NOW + limit })).state).toBe("processing");
    expect(afterPrepare(run, again, context({ postType, now: NOW + limit + 1 }))).toMatchObject({
      state: "failed",
      error: { code: "deadline" },
    });
  });

  test("T5 (prepared): the visible call follows at once", () => {
    const processing = afterPrepare(pending(), { state: "again", afterSeconds: 5, cursor: null }, context());
    expect(currentStep(afterPrepare(processing, { state: "ready", ref: null }, context()))).toBe("commit");
  });

  test("T6 (stale reference): prepares again, first at once, then with waits, a limited number of times", () => {
    let run = prepared();
    for (let stale = 1; stale <= MAX_STALE_REFERENCES; stale += 1) {
      run = afterCommit(recordCommitIntent(run, NOW), { state: "stale", detail: "expired" }, context());
      expect(run).toMatchObject({ state: "preparing", prepared: null, committedAt: null });
      expect(run.wakeAt > NOW).toBe(stale > 1);
      run = afterPrepare(run, { state: "ready", ref: "again" }, context());
    }
    expect(afterCommit(recordCommitIntent(run, NOW), { state: "stale", detail: "expired" }, context())).toMatchObject({
      state: "failed",
      error: { code: "processing_failed" },
    });
  });

  test.each(["rejected", "reconnect"] as const)("T7 (definite failure): %s fails the target", (kind) => {
    const refused = { state: "refused", fault: fault(kind) } as const;
    for (const run of [afterPrepare(pending(), refused, context()), afterCommit(committing(), refused, context())]) {
      expect(run).toMatchObject({ state: "failed", error: { code: kind === "reconnect" ? "auth_expired" : kind } });
    }
  });

  test("T8 (published): stores the id of the platform", () => {
    const run = afterCommit(committing(), { state: "published", remoteId: "9", url: "https://e.com/9" }, context());
    expect(run).toMatchObject({ state: "published", remoteId: "9", publishedAt: NOW, startedAt: NOW, error: null });
  });

  test("T9 (rate limit): waits as long as the platform asks, at most a day, and uses no attempt", () => {
    const rateLimited = { state: "refused", fault: fault("rate_limited", { retryAfterSeconds: 7200 }) } as const;
    const run = afterCommit(committing(), rateLimited, context());
    expect(run).toMatchObject({ state: "retry_wait", wakeAt: NOW + 2 * HOUR, attempts: 1, committedAt: null });
    expect(startStep(run, NOW + 2 * HOUR)).toMatchObject({ attempts: 1, runAttempts: 1 });
    expect(afterCommit(committing(), rateLimited, context({ now: NOW + 23 * HOUR }))).toMatchObject({
      state: "failed",
      error: { code: "rate_limited" },
    });
  });

  test.each<CommitOutcome>([
    { state: "uncertain", detail: "no answer", httpStatus: null },
    { state: "refused", fault: fault("temporary", { httpStatus: 503 }) },
  ])("T10 (uncertain outcome): verifies instead of sending again: %o", (outcome) => {
    const run = afterCommit(committing(), outcome, context());
    expect(run).toMatchObject({ state: "verifying", committedAt: NOW, wakeAt: NOW + SECOND });
    expect(currentStep(run)).toBe("verify");
  });

  test("T11 (crash while committing): an intent found on disk is verified first", () => {
    expect(recoverInterruptedCommit(committing(), context())).toMatchObject({ state: "verifying", committedAt: NOW });
    expect(recoverInterruptedCommit(prepared(), context())).toEqual(prepared());
  });

  test("T12 (found): the target is published", () => {
    expect(afterVerify(verifying(), { state: "published", remoteId: "9", url: null }, context()).state).toBe(
      "published",
    );
  });

  test("T13 (authoritatively absent): sends again, first at once, then with waits, a limited number of times", () => {
    let run = afterVerify(verifying(), { state: "absent" }, context());
    expect(run).toMatchObject({ state: "retry_wait", wakeAt: NOW });
    expect(currentStep(run)).toBe("commit");
    for (let attempt = 2; attempt <= MAX_RUN_ATTEMPTS; attempt += 1) {
      run = recordCommitIntent(startStep(run, NOW), NOW);
      run = afterCommit(run, { state: "uncertain", detail: "500", httpStatus: 500 }, context());
      run = afterVerify(run, { state: "absent" }, context());
    }
    expect(run).toMatchObject({ state: "failed", error: { code: "deadline" }, attempts: MAX_RUN_ATTEMPTS });
  });

  test.each<VerifyOutcome>([
    { state: "cannot_tell", detail: "no list" },
    { state: "refused", fault: fault("reconnect") },
  ])("T14 (cannot be verified): the target ends as unconfirmed: %o", (outcome) => {
    expect(afterVerify(verifying(), outcome, context())).toMatchObject({
      state: "unconfirmed",
      error: { code: "outcome_unknown", retryable: false, whoMustAct: "user" },
    });
  });

  test("T14 (cannot be verified): six lookups with growing waits, then unconfirmed", () => {
    let run = verifying();
    const waits = [run.wakeAt - NOW];
    while (!isTerminal(run.state)) {
      run = afterVerify(run, { state: "again", afterSeconds: 0, isProcessing: false }, context());
      waits.push(run.wakeAt - NOW);
    }
    expect(run.state).toBe("unconfirmed");
    expect(waits.slice(0, 6)).toEqual(VERIFY_WAITS_SECONDS.map((seconds) => seconds * SECOND));
  });

  test("T15 (retries): at most eight attempts with full jitter up to 15 minutes, within two hours", () => {
    expect(backoffMs(1, 1)).toBe(30 * SECOND);
    expect(backoffMs(4, 1)).toBe(4 * MINUTE);
    expect(backoffMs(7, 1)).toBe(15 * MINUTE);
    expect(backoffMs(7, 0)).toBe(0);
    let run = pending();
    for (let attempt = 1; attempt < MAX_RUN_ATTEMPTS; attempt += 1) {
      run = startStep(afterPrepare(run, { state: "refused", fault: fault("temporary") }, context()), NOW);
      expect(run.runAttempts).toBe(attempt + 1);
    }
    const last = afterPrepare(run, { state: "refused", fault: fault("temporary") }, context());
    expect(last).toMatchObject({
      state: "failed",
      error: { code: "deadline", message: expect.stringContaining("said temporary") },
    });
    const late = afterPrepare(
      pending(),
      { state: "refused", fault: fault("temporary") },
      context({ now: NOW + 2 * HOUR }),
    );
    expect(late.state).toBe("failed");
  });

  test("T16 (account disconnected): fails a target that was not sent, and leaves one that was sent unconfirmed", () => {
    const disconnected = fault("rejected", { code: "account_disconnected" });
    expect(afterNoAccess(createTargetRun(row, NOW), disconnected, context())).toMatchObject({
      state: "failed",
      error: { code: "account_disconnected" },
      attempts: 0,
    });
    expect(afterNoAccess(verifying(), disconnected, context()).state).toBe("unconfirmed");
  });
});

describe("waiting for a platform that accepted the post", () => {
  test("is polled as often as the platform asks, and the polls are not counted", () => {
    let run = afterCommit(committing(), { state: "accepted", ref: "job", afterSeconds: 10 }, context());
    expect(run).toMatchObject({ state: "verifying", prepared: { ref: "job" }, wakeAt: NOW + 10 * SECOND });
    for (let poll = 0; poll < 20; poll += 1) {
      run = afterVerify(run, { state: "again", afterSeconds: 10, isProcessing: true }, context({ now: NOW + poll }));
    }
    expect(run).toMatchObject({ state: "verifying", unansweredVerifies: 0 });
    expect(
      afterVerify(run, { state: "again", afterSeconds: 10, isProcessing: true }, context({ now: NOW + 31 * MINUTE }))
        .state,
    ).toBe("unconfirmed");
  });

  test("goes on for as long as the platform's adapter says", () => {
    const accepted = afterCommit(committing(), { state: "accepted", ref: "job", afterSeconds: 10 }, context());
    const again = { state: "again", afterSeconds: 1800, isProcessing: true } as const;
    const day = 24 * HOUR;
    const late = afterVerify(accepted, again, context({ now: NOW + day, acceptedLimitMs: day }));
    expect(late).toMatchObject({ state: "verifying", wakeAt: NOW + day + 30 * MINUTE });
    expect(afterVerify(late, again, context({ now: NOW + day + 1, acceptedLimitMs: day })).state).toBe("unconfirmed");
  });

  test("makes an uncertain outcome certain", () => {
    const uncertain = afterCommit(committing(), { state: "uncertain", detail: "lost", httpStatus: null }, context());
    const again = { state: "again", afterSeconds: 10, isProcessing: true } as const;
    const accepted = afterVerify(uncertain, again, context());
    expect(accepted.history.at(-1)).toMatchObject({ step: "verify", outcome: "accepted" });
    expect(afterVerify(accepted, again, context()).history.at(-1)).toMatchObject({ outcome: "again" });
  });

  test.for([true, false])("the next lookup gets the reference of the last one: isProcessing %s", (isProcessing) => {
    const accepted = afterCommit(committing(), { state: "accepted", ref: "job", afterSeconds: 10 }, context());
    const waiting = { state: "again", afterSeconds: 10, isProcessing } as const;
    const changed = afterVerify(accepted, { ...waiting, ref: "seen complete" }, context());
    expect(changed).toMatchObject({ state: "verifying", prepared: { ref: "seen complete", expiresAt: null } });
    expect(afterVerify(changed, waiting, context()).prepared).toEqual(changed.prepared);
  });

  test("ends with a definite failure when the platform reports one later", () => {
    const run = afterCommit(committing(), { state: "accepted", ref: "job", afterSeconds: 10 }, context());
    const ended = afterVerify(
      run,
      { state: "refused", fault: fault("rejected", { code: "processing_failed" }) },
      context(),
    );
    expect(ended).toMatchObject({ state: "failed", error: { code: "processing_failed" } });
  });

  test("a rate-limited lookup waits as long as the platform asks", () => {
    const limited = { state: "refused", fault: fault("rate_limited", { retryAfterSeconds: 120 }) } as const;
    expect(afterVerify(verifying(), limited, context()).wakeAt).toBe(NOW + 120 * SECOND);
  });
});

describe("a target with several visible calls", () => {
  test("stores each part before the next call, and measures lateness to the first call", () => {
    const first = afterCommit(committing(), { state: "more", ref: "b2", progress: { done: 1 } }, context());
    expect(first).toMatchObject({
      state: "preparing",
      progress: { done: 1 },
      prepared: { ref: "b2" },
      committedAt: null,
    });
    const second = recordCommitIntent(first, NOW + 500);
    expect(second).toMatchObject({ startedAt: NOW, committedAt: NOW + 500 });
    expect(afterCommit(second, { state: "published", remoteId: "p", url: null }, context()).state).toBe("published");
  });

  test("prepares the next call first where the platform asks for it, with a time limit of its own", () => {
    const more = { state: "more", ref: null, progress: { done: 1 }, prepareFirst: true } as const;
    const first = afterCommit({ ...committing(), cursor: { value: "of the first" } }, more, context());
    expect(currentStep(first)).toBe("prepare");
    expect(first).toMatchObject({ prepared: null, cursor: null, preparingSince: null, progress: { done: 1 } });
    const later = NOW + HOUR;
    const next = startStep(first, later);
    const waiting = afterPrepare(next, { state: "again", afterSeconds: 5, cursor: 1 }, context({ now: later }));
    expect(waiting).toMatchObject({ state: "processing", attempts: 1 });
  });

  test("goes on without its journal where a look has found the parts that are public", () => {
    const lost = startAsUncertain(createTargetRun(row, NOW), context());
    const looked = { state: "again", afterSeconds: 60, isProcessing: false, ref: "missing since" } as const;
    const again = afterVerify(lost, looked, context());
    expect(again).toMatchObject({ state: "verifying", prepared: { ref: "missing since" } });
    const more = { state: "more", ref: null, progress: { done: 1 }, prepareFirst: true } as const;
    const found = afterVerify(again, more, context());
    expect(currentStep(found)).toBe("prepare");
    expect(found).toMatchObject({ committedAt: null, progress: { done: 1 } });
  });

  test("a refusal after the first part says that a part is public", () => {
    const first = afterCommit(committing(), { state: "more", ref: "b2", progress: { done: 1 } }, context());
    const run = afterCommit(recordCommitIntent(first, NOW), { state: "refused", fault: fault("rejected") }, context());
    expect(run).toMatchObject({ state: "failed", error: { message: expect.stringContaining("public already") } });
  });
});

describe("tokens and early preparation", () => {
  test("an expired token is replaced and the step repeated", () => {
    expect(afterExpiredToken(pending(), fault("reconnect"), context())).toMatchObject({
      state: "retry_wait",
      prepared: null,
    });
    expect(afterExpiredToken(committing(), fault("reconnect"), context())).toMatchObject({
      state: "retry_wait",
      committedAt: null,
    });
    expect(afterExpiredToken(verifying(), fault("reconnect"), context()).state).toBe("verifying");
  });

  test("waiting for a token refresh uses no attempt", () => {
    const run = afterNoAccess(createTargetRun(row, NOW), fault("temporary", { retryAfterSeconds: 1 }), context());
    expect(run).toMatchObject({ state: "retry_wait", wakeAt: NOW + SECOND, attempts: 0 });
  });

  test("a refusal before the due time only changes the history", () => {
    const early = { now: NOW - 5 * MINUTE, dueAt: NOW };
    const refused = afterEarlyFault(createTargetRun(row, 0), fault("rejected"), context(early));
    expect(refused).toMatchObject({ state: "pending", attempts: 0, error: null, wakeAt: NOW });
    expect(refused.history).toHaveLength(1);
    expect(afterEarlyFault(createTargetRun(row, 0), fault("temporary"), context(early)).wakeAt).toBeLessThan(NOW);
  });
});

describe("a thread of which something is public", () => {
  const progress = { thread: [{ id: "1", url: null, at: NOW }] };
  const open = { ...pending(), progress, publishedParts: 1, prepared: { ref: {}, expiresAt: null } };
  const sent = recordCommitIntent(startStep(open, NOW), NOW);

  test("is incomplete when a part is refused or stays unknown", ({ expect }) => {
    expect(afterCommit(sent, { state: "refused", fault: fault("rejected") }, context())).toMatchObject({
      state: "failed",
      error: {
        code: "thread_incomplete",
        message: expect.stringMatching(/^The thread stopped after its first part: /),
      },
    });
    const uncertain = { state: "uncertain", detail: "lost", httpStatus: null } as const;
    const verifying = afterCommit(sent, uncertain, context());
    expect(afterVerify(verifying, { state: "cannot_tell", detail: "unknown" }, context())).toMatchObject({
      state: "unconfirmed",
      error: { code: "thread_incomplete" },
    });
  });

  test("waits at a rate limit and goes on with the same part", ({ expect }) => {
    const limited = { ...fault("rate_limited"), retryAfterSeconds: 900 };
    const waiting = afterCommit(sent, { state: "refused", fault: limited }, context());
    expect(waiting).toMatchObject({ state: "retry_wait", wakeAt: NOW + 900_000, progress, prepared: { ref: {} } });
    expect(currentStep(waiting)).toBe("commit");
  });

  test("was published with its first part", ({ expect }) => {
    const published = {
      state: "published",
      remoteId: "1",
      url: null,
      publishedAt: NOW - 5,
      progress: { thread: [] },
    } as const;
    expect(afterCommit(sent, published, context())).toMatchObject({
      state: "published",
      publishedAt: NOW - 5,
      progress: { thread: [] },
    });
  });
});

describe("a post that is public and whose extras are open", () => {
  const post = { id: "v1", url: "https://example.com/v1", at: NOW - 60_000 };
  const progress = { extras: { post, open: ["cover"], index: 0, tries: 1, looksFirst: false, results: {} } };
  const more = { state: "more", ref: null, progress, afterSeconds: 30 } as const;
  const waiting = afterCommit(committing(), more, context());
  const sent = recordCommitIntent(startStep(waiting, NOW), NOW);
  const ended = (status: string, code: string) => ({
    state: "published",
    remoteId: "v1",
    remoteUrl: post.url,
    publishedAt: post.at,
    error: null,
    extras: { cover: { status, id: null, url: null, error: { code } } },
  });

  test("waits as long as the outcome says and then goes on with the next call", ({ expect }) => {
    expect(waiting).toMatchObject({ state: "preparing", wakeAt: NOW + 30_000, progress });
    expect(currentStep(waiting)).toBe("commit");
  });

  test("T17: is published, whatever ends its extras", ({ expect }) => {
    const refusal = { state: "refused", fault: fault("reconnect") } as const;
    expect(afterCommit(sent, refusal, context())).toMatchObject(ended("failed", "auth_expired"));
    for (const run of [waiting, { ...waiting, state: "processing" }, { ...waiting, state: "retry_wait" }] as const) {
      expect(afterNoAccess(run, fault("reconnect"), context())).toMatchObject(ended("failed", "auth_expired"));
    }
    const late = context({ now: NOW + 3 * HOUR });
    expect(afterNoAccess(waiting, fault("temporary"), late)).toMatchObject(ended("failed", "deadline"));
    const interrupted = recoverInterruptedCommit(sent, context());
    expect(afterNoAccess(interrupted, fault("reconnect"), context())).toMatchObject(
      ended("unconfirmed", "outcome_unknown"),
    );
  });

  test("keeps what its adapter says of each extra", ({ expect }) => {
    const published = {
      state: "published",
      remoteId: "v1",
      url: post.url,
      publishedAt: post.at,
      extras: { cover: { status: "failed", id: null, url: null, fault: fault("rejected") } },
    } as const;
    expect(afterCommit(sent, published, context())).toMatchObject(ended("failed", "rejected"));
  });
});

describe("the history", () => {
  test("keeps the newest 100 entries, with repeated waits as one entry", () => {
    let run: TargetRun = afterPrepare(pending(), { state: "again", afterSeconds: 5, cursor: 0 }, context());
    for (let poll = 1; poll < 100; poll += 1) {
      run = afterPrepare(run, { state: "again", afterSeconds: 5, cursor: poll }, context({ now: NOW + poll }));
    }
    expect(run.history).toHaveLength(1);
    for (let index = 0; index < 150; index += 1) {
      run = startAsUncertain(run, context({ now: NOW + index }));
    }
    expect(run.history).toHaveLength(MAX_HISTORY);
    expect(run.history.at(-1)?.at).toBe(NOW + 149);
  });

  test("stores messages of platforms without characters that cannot be stored", () => {
    const longMessage = `bad\u0000\ud800${"x".repeat(2000)}`;
    const run = afterPrepare(
      pending(),
      { state: "refused", fault: fault("rejected", { message: longMessage }) },
      context(),
    );
    const message = run.history.at(-1)?.message ?? "";
    expect(message.isWellFormed()).toBe(true);
    expect(message).not.toContain("\u0000");
    expect(message.length).toBeLessThanOrEqual(500);
  });

  test("is not changed by JSON", () => {
    expect(JSON.parse(JSON.stringify(verifying()))).toEqual(verifying());
  });
});

describe("the transition tables", () => {
  test("a terminal target only changes by an edit, a published one never", () => {
    for (const state of TARGET_STATES.filter(isTerminal)) {
      expect(TARGET_TRANSITIONS[state]).toEqual(state === "failed" ? ["pending"] : []);
    }
  });

  test("a publishing post cannot be rescheduled, and only an edit reopens one that ended", () => {
    expect(Object.values(POST_TRANSITIONS.publishing).toSorted()).toEqual([
      "failed",
      "partially_failed",
      "paused",
      "published",
      "scheduled",
    ]);
    expect(POST_TRANSITIONS.publishing).toMatchObject({ wait: "scheduled" });
    expect(POST_TRANSITIONS.published).toEqual({});
    expect(POST_TRANSITIONS.cancelled).toEqual({});
    expect(POST_TRANSITIONS.failed).toEqual({ reopen: "scheduled" });
  });

  test("a transition that is not in the table is refused", () => {
    const published = afterCommit(committing(), { state: "published", remoteId: "9", url: null }, context());
    expect(() => recordCommitIntent(published, NOW)).toThrow("cannot go from published to committing");
  });

  test.each([
    [["published", "published"], "all_published"],
    [["published", "skipped"], "all_published"],
    [["published", "failed"], "some_published"],
    [["published", "unconfirmed"], "some_published"],
    [["failed", "unconfirmed"], "none_published"],
    [["skipped"], "none_published"],
    [["published", "retry_wait"], undefined],
  ] as const)("%o ends as %s", (states, end) => {
    expect(completionEvent(states)).toBe(end);
  });
});
