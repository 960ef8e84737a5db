import { describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { TARGET_STATES } from "#core/status.ts";
import type { CommitOutcome, Fault, VerifyOutcome } from "#platforms/contract.ts";
import {
  afterCommit,
  afterEarlyFault,
  afterNoAccess,
  afterOldToken,
  afterPrepare,
  afterVerify,
  backoffMs,
  doubtRun,
  intendCommit,
  MAX_STALES,
  MAX_TRIES,
  recover,
  startStep,
  stepOf,
  VERIFY_WAITS_SECONDS,
} from "#posting/run/next-step.ts";
import { endOf, isTerminal, POST_MOVES, TARGET_MOVES } from "#posting/state-machine.ts";
import { beginRun, MAX_HISTORY, type Moment, type TargetRun } from "#posting/run/target-run.ts";

const NOW = Date.parse("2030-01-01T12:00:00Z");
const row = { accountId: "a", attempts: 0, progress: null, history: [] };
const at = (over: Partial<Moment> = {}): Moment => ({
  now: NOW,
  dueAt: NOW,
  postType: "text",
  httpStatus: null,
  random: 0.5,
  ...over,
});
const fault = (kind: Fault["kind"], over: Partial<Fault> = {}): Fault => ({
  kind,
  code: kind === "reconnect" ? "auth_expired" : kind,
  category: "platform",
  message: `said ${kind}`,
  platformCode: null,
  httpStatus: 400,
  whoMustAct: "platform",
  ...over,
});

const pending = () => startStep(beginRun(row, NOW), NOW);
const prepared = () => afterPrepare(pending(), { state: "ready", ref: "r1" }, at());
const committing = () => intendCommit(prepared(), NOW);
const verifying = () => afterCommit(committing(), { state: "uncertain", detail: "500", httpStatus: 500 }, at());

describe("the target table", () => {
  test("T1 a new target prepares, and what needs no preparation goes straight on to the visible call", () => {
    expect(stepOf(pending())).toBe("prepare");
    expect(stepOf(prepared())).toBe("commit");
    expect(prepared().wakeAt).toBe(NOW);
  });

  test("T2 every cursor is kept, and the next step comes when the platform said", () => {
    const run = afterPrepare(pending(), { state: "again", afterSeconds: 5, cursor: { chunk: 3 } }, at());
    expect(run).toMatchObject({ state: "processing", cursor: { value: { chunk: 3 } }, wakeAt: NOW + 5 * SECOND });
    const next = afterPrepare(run, { state: "again", afterSeconds: 0, cursor: { chunk: 4 } }, at());
    expect(next).toMatchObject({ state: "preparing", wakeAt: NOW });
  });

  test("T2 a cursor that stands still does not spin", () => {
    const first = afterPrepare(pending(), { state: "again", afterSeconds: 0, cursor: 1 }, at());
    expect(afterPrepare(first, { state: "again", afterSeconds: 0, cursor: 1 }, at()).wakeAt).toBe(NOW + SECOND);
  });

  test("T3 a temporary fault waits and uses up a try", () => {
    const run = afterPrepare(pending(), { state: "refused", fault: fault("temporary") }, at());
    expect(run).toMatchObject({ state: "retry_wait", attempts: 1, tries: 1, wakeAt: NOW + 15 * SECOND });
    expect(startStep(run, NOW).attempts).toBe(2);
  });

  test.each([
    ["text", 30 * MINUTE],
    ["image", 30 * MINUTE],
    ["video", 2 * HOUR],
  ] as const)("T4 processing of a %s ends after its limit", (postType, limit) => {
    const again = { state: "again", afterSeconds: 5, cursor: null } as const;
    const run = afterPrepare(pending(), again, at({ postType }));
    expect(afterPrepare(run, again, at({ postType, now: NOW + limit })).state).toBe("processing");
    expect(afterPrepare(run, again, at({ postType, now: NOW + limit + 1 }))).toMatchObject({
      state: "failed",
      error: { code: "deadline" },
    });
  });

  test("T5 processing that is done goes on at once", () => {
    const processing = afterPrepare(pending(), { state: "again", afterSeconds: 5, cursor: null }, at());
    expect(stepOf(afterPrepare(processing, { state: "ready", ref: null }, at()))).toBe("commit");
  });

  test("T6 an expired reference is prepared again, at once and then with waits, and not for ever", () => {
    let run = prepared();
    for (let stale = 1; stale <= MAX_STALES; stale += 1) {
      run = afterCommit(intendCommit(run, NOW), { state: "stale", detail: "expired" }, at());
      expect(run).toMatchObject({ state: "preparing", ready: null, committedAt: null });
      expect(run.wakeAt > NOW).toBe(stale > 1);
      run = afterPrepare(run, { state: "ready", ref: "again" }, at());
    }
    expect(afterCommit(intendCommit(run, NOW), { state: "stale", detail: "expired" }, at())).toMatchObject({
      state: "failed",
      error: { code: "processing_failed" },
    });
  });

  test.each(["rejected", "reconnect"] as const)("T7 a definite %s ends the target", (kind) => {
    const refused = { state: "refused", fault: fault(kind) } as const;
    for (const run of [afterPrepare(pending(), refused, at()), afterCommit(committing(), refused, at())]) {
      expect(run).toMatchObject({ state: "failed", error: { code: kind === "reconnect" ? "auth_expired" : kind } });
    }
  });

  test("T8 the platform's id ends it well", () => {
    const run = afterCommit(committing(), { state: "published", remoteId: "9", url: "https://e.com/9" }, at());
    expect(run).toMatchObject({ state: "published", remoteId: "9", publishedAt: NOW, startedAt: NOW, error: null });
  });

  test("T9 a rate limit waits as told and uses up no try, for a day at most", () => {
    const later = { state: "refused", fault: fault("rate_limited", { retryAfterSeconds: 7200 }) } as const;
    const run = afterCommit(committing(), later, at());
    expect(run).toMatchObject({ state: "retry_wait", wakeAt: NOW + 2 * HOUR, attempts: 1, committedAt: null });
    expect(startStep(run, NOW + 2 * HOUR)).toMatchObject({ attempts: 1, tries: 1 });
    expect(afterCommit(committing(), later, at({ now: NOW + 23 * HOUR }))).toMatchObject({
      state: "failed",
      error: { code: "rate_limited" },
    });
  });

  test.each<CommitOutcome>([
    { state: "uncertain", detail: "no answer", httpStatus: null },
    { state: "refused", fault: fault("temporary", { httpStatus: 503 }) },
  ])("T10 what may have happened is never sent again: %o", (outcome) => {
    const run = afterCommit(committing(), outcome, at());
    expect(run).toMatchObject({ state: "verifying", committedAt: NOW, wakeAt: NOW + SECOND });
    expect(stepOf(run)).toBe("verify");
  });

  test("T11 an intent found on disk is looked for before anything else", () => {
    expect(recover(committing(), at())).toMatchObject({ state: "verifying", committedAt: NOW });
    expect(recover(prepared(), at())).toEqual(prepared());
  });

  test("T12 found means published", () => {
    expect(afterVerify(verifying(), { state: "published", remoteId: "9", url: null }, at()).state).toBe("published");
  });

  test("T13 an authoritative no leads back to sending: at once, later with waits, and not for ever", () => {
    let run = afterVerify(verifying(), { state: "absent" }, at());
    expect(run).toMatchObject({ state: "retry_wait", wakeAt: NOW });
    expect(stepOf(run)).toBe("commit");
    for (let tries = 2; tries <= MAX_TRIES; tries += 1) {
      run = intendCommit(startStep(run, NOW), NOW);
      run = afterCommit(run, { state: "uncertain", detail: "500", httpStatus: 500 }, at());
      run = afterVerify(run, { state: "absent" }, at());
    }
    expect(run).toMatchObject({ state: "failed", error: { code: "deadline" }, attempts: MAX_TRIES });
  });

  test.each<VerifyOutcome>([
    { state: "cannot_tell", detail: "no list" },
    { state: "refused", fault: fault("reconnect") },
  ])("T14 what cannot be found out stays unconfirmed: %o", (outcome) => {
    expect(afterVerify(verifying(), outcome, at())).toMatchObject({
      state: "unconfirmed",
      error: { code: "outcome_unknown", retryable: false, whoMustAct: "user" },
    });
  });

  test("T14 six looks with growing waits, then unconfirmed", () => {
    let run = verifying();
    const waits = [run.wakeAt - NOW];
    while (!isTerminal(run.state)) {
      run = afterVerify(run, { state: "again", afterSeconds: 0, known: false }, at());
      waits.push(run.wakeAt - NOW);
    }
    expect(run.state).toBe("unconfirmed");
    expect(waits.slice(0, 6)).toEqual(VERIFY_WAITS_SECONDS.map((seconds) => seconds * SECOND));
  });

  test("T15 eight tries with full jitter up to a quarter of an hour, and two hours in all", () => {
    expect(backoffMs(1, 1)).toBe(30 * SECOND);
    expect(backoffMs(4, 1)).toBe(4 * MINUTE);
    expect(backoffMs(7, 1)).toBe(15 * MINUTE);
    expect(backoffMs(7, 0)).toBe(0);
    let run = pending();
    for (let tries = 1; tries < MAX_TRIES; tries += 1) {
      run = startStep(afterPrepare(run, { state: "refused", fault: fault("temporary") }, at()), NOW);
      expect(run.tries).toBe(tries + 1);
    }
    const last = afterPrepare(run, { state: "refused", fault: fault("temporary") }, at());
    expect(last).toMatchObject({
      state: "failed",
      error: { code: "deadline", message: expect.stringContaining("said temporary") },
    });
    const late = afterPrepare(pending(), { state: "refused", fault: fault("temporary") }, at({ now: NOW + 2 * HOUR }));
    expect(late.state).toBe("failed");
  });

  test("T16 an account that is gone ends a target before it sent, and leaves doubt after", () => {
    const gone = fault("rejected", { code: "account_disconnected" });
    expect(afterNoAccess(beginRun(row, NOW), gone, at())).toMatchObject({
      state: "failed",
      error: { code: "account_disconnected" },
      attempts: 0,
    });
    expect(afterNoAccess(verifying(), gone, at()).state).toBe("unconfirmed");
  });
});

describe("waiting that is not doubt", () => {
  test("accepted is polled as the platform says and its looks are not counted", () => {
    let run = afterCommit(committing(), { state: "accepted", ref: "job", afterSeconds: 10 }, at());
    expect(run).toMatchObject({ state: "verifying", ready: { ref: "job" }, wakeAt: NOW + 10 * SECOND });
    for (let look = 0; look < 20; look += 1) {
      run = afterVerify(run, { state: "again", afterSeconds: 10, known: true }, at({ now: NOW + look }));
    }
    expect(run).toMatchObject({ state: "verifying", checks: 0 });
    expect(
      afterVerify(run, { state: "again", afterSeconds: 10, known: true }, at({ now: NOW + 31 * MINUTE })).state,
    ).toBe("unconfirmed");
  });

  test("the platform says later that it failed: a definite end", () => {
    const run = afterCommit(committing(), { state: "accepted", ref: "job", afterSeconds: 10 }, at());
    const ended = afterVerify(run, { state: "refused", fault: fault("rejected", { code: "processing_failed" }) }, at());
    expect(ended).toMatchObject({ state: "failed", error: { code: "processing_failed" } });
  });

  test("a look that is rate limited waits as told", () => {
    const limited = { state: "refused", fault: fault("rate_limited", { retryAfterSeconds: 120 }) } as const;
    expect(afterVerify(verifying(), limited, at()).wakeAt).toBe(NOW + 120 * SECOND);
  });
});

describe("several visible calls", () => {
  test("each is remembered before the next, and lateness is the first one's", () => {
    const first = afterCommit(committing(), { state: "more", ref: "b2", progress: { done: 1 } }, at());
    expect(first).toMatchObject({ state: "preparing", progress: { done: 1 }, ready: { ref: "b2" }, committedAt: null });
    const second = intendCommit(first, NOW + 500);
    expect(second).toMatchObject({ startedAt: NOW, committedAt: NOW + 500 });
    expect(afterCommit(second, { state: "published", remoteId: "p", url: null }, at()).state).toBe("published");
  });

  test("a refusal after the first part says that something is public", () => {
    const first = afterCommit(committing(), { state: "more", ref: "b2", progress: { done: 1 } }, at());
    const run = afterCommit(intendCommit(first, NOW), { state: "refused", fault: fault("rejected") }, at());
    expect(run).toMatchObject({ state: "failed", error: { message: expect.stringContaining("public already") } });
  });
});

describe("tokens and early work", () => {
  test("a token that was only old is tried again with the new one", () => {
    expect(afterOldToken(pending(), fault("reconnect"), at())).toMatchObject({ state: "retry_wait", ready: null });
    expect(afterOldToken(committing(), fault("reconnect"), at())).toMatchObject({
      state: "retry_wait",
      committedAt: null,
    });
    expect(afterOldToken(verifying(), fault("reconnect"), at()).state).toBe("verifying");
  });

  test("a login that is being renewed costs no try", () => {
    const run = afterNoAccess(beginRun(row, NOW), fault("temporary", { retryAfterSeconds: 1 }), at());
    expect(run).toMatchObject({ state: "retry_wait", wakeAt: NOW + SECOND, attempts: 0 });
  });

  test("a refusal before the due time changes nothing but the history", () => {
    const early = { now: NOW - 5 * MINUTE, dueAt: NOW };
    const refused = afterEarlyFault(beginRun(row, 0), fault("rejected"), at(early));
    expect(refused).toMatchObject({ state: "pending", attempts: 0, error: null, wakeAt: NOW });
    expect(refused.history).toHaveLength(1);
    expect(afterEarlyFault(beginRun(row, 0), fault("temporary"), at(early)).wakeAt).toBeLessThan(NOW);
  });
});

describe("the history", () => {
  test("keeps the newest fifty lines, one for a wait however long", () => {
    let run: TargetRun = afterPrepare(pending(), { state: "again", afterSeconds: 5, cursor: 0 }, at());
    for (let poll = 1; poll < 100; poll += 1) {
      run = afterPrepare(run, { state: "again", afterSeconds: 5, cursor: poll }, at({ now: NOW + poll }));
    }
    expect(run.history).toHaveLength(1);
    for (let line = 0; line < 100; line += 1) {
      run = doubtRun(run, at({ now: NOW + line }));
    }
    expect(run.history).toHaveLength(MAX_HISTORY);
    expect(run.history.at(-1)?.at).toBe(NOW + 99);
  });

  test("holds what the platform said, fit to store", () => {
    const words = `bad\u0000\ud800${"x".repeat(2000)}`;
    const run = afterPrepare(pending(), { state: "refused", fault: fault("rejected", { message: words }) }, at());
    const message = run.history.at(-1)?.message ?? "";
    expect(message.isWellFormed()).toBe(true);
    expect(message).not.toContain("\u0000");
    expect(message.length).toBeLessThanOrEqual(500);
  });

  test("survives JSON unchanged", () => {
    expect(JSON.parse(JSON.stringify(verifying()))).toEqual(verifying());
  });
});

describe("the tables", () => {
  test("a terminal target moves only by an edit, a published one never", () => {
    for (const state of TARGET_STATES.filter(isTerminal)) {
      expect(TARGET_MOVES[state]).toEqual(state === "failed" ? ["pending"] : []);
    }
  });

  test("nothing leads from publishing back, and only an edit opens an ended post", () => {
    expect(Object.values(POST_MOVES.publishing).toSorted()).toEqual(["failed", "partially_failed", "published"]);
    expect(POST_MOVES.published).toEqual({});
    expect(POST_MOVES.cancelled).toEqual({});
    expect(POST_MOVES.failed).toEqual({ reopen: "scheduled" });
  });

  test("a move the table does not know is refused", () => {
    const done = afterCommit(committing(), { state: "published", remoteId: "9", url: null }, at());
    expect(() => intendCommit(done, NOW)).toThrow("cannot go from published to committing");
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
    expect(endOf(states)).toBe(end);
  });
});
