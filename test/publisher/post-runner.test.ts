import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { cancelPost } from "#posting/status/cancel-post.ts";
import { confirmEdit } from "#posting/confirm/confirm-edit.ts";
import { pausePost } from "#posting/status/pause-post.ts";
import { previewEdit } from "#posting/edit/preview-edit.ts";
import { resumePost } from "#posting/status/resume-post.ts";
import { fault } from "./fake-platform.ts";
import { quiet, PublisherHarness } from "./publisher-harness.ts";

beforeEach(quiet);
afterEach(() => setFailpointHook(undefined));

describe("a hint", () => {
  const hint = (postId: string, version: number, over: object = {}) =>
    ({
      postId,
      version,
      status: "scheduled",
      scheduledAt: Date.parse("2031-01-01"),
      prepareAheadMs: 0,
      ...over,
    }) as const;

  test("arms, and an older one changes nothing", async () => {
    const stage = await PublisherHarness.open();
    const id = crypto.randomUUID();
    expect(await stage.sync(hint(id, 2))).toBe("armed");
    const at = await stage.alarmAt(id);
    expect(await stage.sync(hint(id, 1, { scheduledAt: stage.now + 1 }))).toBe("ignored");
    expect(await stage.sync(hint(id, 1, { status: "cancelled" }))).toBe("ignored");
    expect(await stage.alarmAt(id)).toBe(at);
    expect(await stage.sync(hint(id, 2))).toBe("armed");
    expect(await stage.alarmAt(id)).toBe(at);
  });

  test("that the post is over takes storage and alarm away", async () => {
    const stage = await PublisherHarness.open();
    const id = crypto.randomUUID();
    await stage.sync(hint(id, 1));
    expect(await stage.sync(hint(id, 2, { status: "paused" }))).toBe("disarmed");
    expect(await stage.stored(id)).toEqual([]);
    expect(await stage.alarmAt(id)).toBeNull();
  });

  test("never disturbs a run, it only keeps it awake", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.commits.push("rate_limited");
    await stage.run(id, MINUTE + SECOND);
    const at = await stage.alarmAt(id);
    const post = (await stage.read(id))!;
    expect(await stage.sync(hint(id, post.version, { scheduledAt: post.scheduledAt }))).toBe("running");
    expect(await stage.sync(hint(id, post.version + 1, { status: "cancelled" }))).toBe("running");
    expect(await stage.alarmAt(id)).toBe(at);
    stage.now = at! + 2 * MINUTE;
    await stage.sync(hint(id, post.version));
    expect(await stage.alarmAt(id), "an alarm long past is a lost one").toBe(stage.now + SECOND);
  });

  test("for a post that does not exist is forgotten at its time", async () => {
    const stage = await PublisherHarness.open();
    const id = crypto.randomUUID();
    await stage.sync(hint(id, 1, { scheduledAt: stage.now + SECOND }));
    await stage.run(id);
    expect(await stage.stored(id)).toEqual([]);
  });
});

describe("on time", () => {
  test("a text post wakes at most two seconds early and goes out at the very millisecond", async () => {
    const stage = await PublisherHarness.open();
    for (const extra of [0, 1, 137]) {
      const id = await stage.post({ inMs: MINUTE + extra });
      const { scheduledAt } = (await stage.read(id))!;
      const wakeAt = (await stage.alarmAt(id))!;
      expect(scheduledAt - wakeAt).toBeGreaterThan(0);
      expect(scheduledAt - wakeAt).toBeLessThanOrEqual(2 * SECOND);
      await stage.run(id);
      expect(stage.x.accepted(id)[0]?.at).toBe(scheduledAt);
      expect(await stage.target(id)).toMatchObject({ startedAt: scheduledAt, publishedAt: scheduledAt });
    }
  });

  test("what needs preparation is prepared before: at the time only claim and commit remain", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR });
    const { scheduledAt } = (await stage.read(id))!;
    const wakeAt = (await stage.alarmAt(id))!;
    expect(scheduledAt - wakeAt).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(scheduledAt - wakeAt).toBeLessThanOrEqual(10 * MINUTE);
    // Forty seconds of processing at the platform.
    stage.x.prepares.push(...Array.from({ length: 8 }, () => "again" as const));
    await stage.run(id, HOUR - 3 * SECOND);
    expect(stage.x.called("prepare")).toBe(9);
    expect(await stage.read(id)).toMatchObject({ status: "scheduled", version: 1 });
    await stage.run(id);
    expect(stage.x.called("prepare")).toBe(9);
    expect(stage.x.accepted(id)[0]?.at).toBe(scheduledAt);
  });

  test("a platform that wants no lead is not asked before the last seconds", async () => {
    const stage = await PublisherHarness.open();
    stage.linkedin.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR, on: ["x", "linkedin"] });
    const { scheduledAt } = (await stage.read(id))!;
    await stage.run(id);
    expect(stage.linkedin.calls[0]!.at).toBeLessThan(scheduledAt - 4 * MINUTE);
    expect(stage.x.calls[0]!.at).toBeGreaterThanOrEqual(scheduledAt - 2 * SECOND);
  });

  test("an edit lets everything expire that was prepared for the old version", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR, caption: "old" });
    await stage.run(id, HOUR - 3 * SECOND);
    expect(stage.x.called("prepare")).toBe(1);
    const { confirmationToken } = await previewEdit(stage.ctx, { postIds: [id], caption: "new" });
    await confirmEdit(stage.ctx, { confirmationToken });
    await stage.settled();
    expect((await stage.stored(id)).filter((key) => key !== "job")).toEqual([]);
    await stage.run(id);
    expect(stage.x.accepted(id)).toMatchObject([{ caption: "new" }]);
  });

  test("an edit the object never heard of is not answered with what was prepared before it", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR, caption: "old" });
    await stage.run(id, HOUR - 3 * SECOND);
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    const { confirmationToken } = await previewEdit(stage.ctx, { postIds: [id], caption: "new" });
    await confirmEdit(stage.ctx, { confirmationToken });
    stage.armInstead = undefined;
    await stage.settled();
    stage.evict(id);
    await stage.run(id);
    expect(stage.x.accepted(id)).toMatchObject([{ caption: "new" }]);
  });

  test.each(["sooner", "later"])("an edit in the last seconds is obeyed (%s)", async (where) => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ caption: "old" });
    const { scheduledAt } = (await stage.read(id))!;
    const { confirmationToken } = await previewEdit(stage.ctx, {
      postIds: [id],
      caption: "new",
      scheduledAt: where === "sooner" ? scheduledAt - SECOND / 2 : scheduledAt + 5 * MINUTE,
    });
    stage.x.before = async () => {
      if (stage.x.calls.length === 1) {
        stage.now = scheduledAt - SECOND / 2;
        await confirmEdit(stage.ctx, { confirmationToken });
      }
    };
    stage.patienceMs = 200;
    await stage.run(id);
    expect(stage.x.accepted(id)).toMatchObject([{ caption: "new" }]);
    expect(stage.x.book[0]!.at - (await stage.read(id))!.scheduledAt).toBeLessThanOrEqual(SECOND);
    expect(stage.x.book[0]!.at).toBeGreaterThanOrEqual((await stage.read(id))!.scheduledAt);
  });

  test("a cancel in the last seconds is obeyed and leaves nothing", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.before = async () => {
      await cancelPost(stage.ctx, { id });
    };
    stage.patienceMs = 200;
    await stage.fire(id);
    await stage.run(id);
    expect(stage.x.book).toEqual([]);
    expect(await stage.stored(id)).toEqual([]);
  });

  test("what was prepared survives an eviction", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR });
    await stage.run(id, HOUR - 3 * SECOND);
    stage.evict(id);
    await stage.run(id);
    expect(stage.x.called("prepare")).toBe(1);
    expect(stage.x.accepted(id)).toHaveLength(1);
  });

  test("a refusal before the time is noted and tried again when it counts", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR });
    stage.x.prepares.push("rejected");
    await stage.run(id, HOUR - 3 * SECOND);
    expect(await stage.read(id)).toMatchObject({ status: "scheduled" });
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({
      state: "published",
      attempts: 1,
      error: null,
      history: [
        { step: "prepare", outcome: "rejected" },
        { step: "prepare", outcome: "ready" },
        { step: "commit", outcome: "published" },
      ],
    });
  });

  test("an early step that hangs over the due time holds up its own target alone", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    const { scheduledAt } = (await stage.read(id))!;
    const hang = Promise.withResolvers<void>();
    stage.x.before = (step) => (step === "prepare" ? hang.promise : Promise.resolve());
    stage.linkedin.before = (step) => {
      if (step === "commit") {
        hang.resolve();
      }
      return Promise.resolve();
    };
    await stage.run(id);
    expect(stage.linkedin.accepted(id)[0]?.at).toBe(scheduledAt);
    expect(stage.x.accepted(id)).toHaveLength(1);
    expect(stage.x.called("prepare")).toBe(1);
  });

  test("a spread set by the operator moves the visible call and never before the time", async () => {
    const stage = await PublisherHarness.open({ SPREAD_MS: "10000" });
    const ids = await Promise.all(Array.from({ length: 5 }, () => stage.post()));
    const late: number[] = [];
    for (const id of ids) {
      const { scheduledAt } = (await stage.read(id))!;
      stage.now = Math.min(stage.now, scheduledAt - 5 * SECOND);
      await stage.run(id);
      late.push(stage.x.accepted(id)[0]!.at - scheduledAt);
    }
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(10 * SECOND);
    expect(new Set(late).size).toBeGreaterThan(1);
  });
});

describe("pause and resume", () => {
  test("a paused post does not go out, a resumed one does", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ inMs: 5 * MINUTE });
    await pausePost(stage.ctx, { id });
    await stage.settled();
    expect(await stage.stored(id)).toEqual([]);
    await resumePost(stage.ctx, { id });
    await stage.settled();
    await stage.run(id);
    expect(await stage.read(id)).toMatchObject({ status: "published" });
  });

  test("P10 a post that was cancelled unheard wakes once and is gone", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.armInstead = () => Promise.reject(new Error("no answer"));
    await cancelPost(stage.ctx, { id });
    await stage.settled();
    await stage.run(id);
    expect(stage.x.book).toEqual([]);
    expect(await stage.stored(id)).toEqual([]);
    expect(await stage.alarmAt(id)).toBeNull();
  });
});

describe("targets of their own", () => {
  test("at most six calls at once", async () => {
    const stage = await PublisherHarness.open();
    const accountIds = [
      stage.accounts.x,
      ...(await Promise.all(Array.from({ length: 8 }, () => stage.addAccount("x")))),
    ];
    const id = await stage.post({ accountIds });
    let now = 0;
    let most = 0;
    stage.x.before = async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      now -= 1;
    };
    await stage.run(id);
    expect(most).toBe(6);
    expect(stage.x.accepted(id)).toHaveLength(9);
    expect(await stage.read(id)).toMatchObject({ status: "published" });
  });

  test("one that hangs does not hide that the other is published", async () => {
    const stage = await PublisherHarness.open();
    stage.longestWaitMs = 10 * SECOND;
    const id = await stage.post({ on: ["x", "linkedin"] });
    const hang = Promise.withResolvers<void>();
    stage.x.before = (step) => (step === "commit" ? hang.promise : Promise.resolve());
    const running = stage.run(id);
    await expect.poll(async () => (await stage.target(id, "linkedin")).state).toBe("published");
    expect(await stage.read(id)).toMatchObject({ status: "publishing" });
    hang.resolve();
    await running;
    expect(await stage.read(id)).toMatchObject({ status: "published" });
  });

  test("a call that never ends is cut off and treated as if it might have arrived", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.longestWaitMs = HOUR;
    stage.x.before = (step) =>
      step === "commit" && stage.x.called("commit") === 1 ? new Promise(() => undefined) : Promise.resolve();
    await stage.run(id);
    expect(stage.x.called("verify")).toBe(1);
    expect(stage.x.accepted(id)).toHaveLength(1);
    expect((await stage.target(id)).history.map((line) => line.outcome)).toEqual([
      "ready",
      "uncertain",
      "absent",
      "published",
    ]);
  });

  test("P12 one refused, one published: partially failed, each with its own end", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    stage.x.commits.push("rejected");
    await stage.run(id);
    expect(await stage.read(id)).toMatchObject({ status: "partially_failed", watchAt: null });
    expect(await stage.target(id)).toMatchObject({
      state: "failed",
      error: { code: "rejected", platformCode: "E1", retryable: false },
    });
    expect(await stage.target(id, "linkedin")).toMatchObject({ state: "published" });
  });

  test("P16 an edit of a partially failed post sends only what failed", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    stage.x.commits.push("rejected");
    await stage.run(id);
    const { confirmationToken } = await previewEdit(stage.ctx, { postIds: [id], scheduledAt: stage.now + 5 * MINUTE });
    await confirmEdit(stage.ctx, { confirmationToken });
    await stage.settled();
    await stage.run(id);
    expect(await stage.read(id)).toMatchObject({ status: "published" });
    expect(stage.x.accepted(id)).toHaveLength(1);
    expect(stage.linkedin.accepted(id)).toHaveLength(1);
    const { attempts, history } = await stage.target(id);
    expect(attempts).toBe(2);
    expect(history.map((line) => line.outcome)).toEqual(["ready", "rejected", "ready", "published"]);
  });
});

describe("waiting", () => {
  test("P15 a temporary fault is shown with its next attempt, and the reconciler looks after that", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.prepares.push("temporary", "temporary");
    await stage.run(id, MINUTE + 10);
    const waiting = await stage.target(id);
    const alarmAt = await stage.alarmAt(id);
    expect(waiting).toMatchObject({ state: "retry_wait", attempts: 1, error: { retryable: true } });
    expect(waiting.nextAttemptAt).toBeGreaterThan(stage.now);
    expect(alarmAt).toBeGreaterThanOrEqual(waiting.nextAttemptAt!);
    expect((await stage.read(id))!.watchAt).toBeGreaterThan(alarmAt!);
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({ state: "published", attempts: 2, nextAttemptAt: null, error: null });
  });

  test("a rate limit of hours is waited for and still ends", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    const limited = {
      outcome: { state: "refused", fault: fault("rate_limited", { retryAfterSeconds: 6 * 3600 }) },
    } as const;
    stage.x.commits.push(limited, limited, limited, limited, limited);
    await stage.run(id, 7 * HOUR);
    expect((await stage.read(id))!.watchAt).toBeGreaterThan((await stage.alarmAt(id))!);
    await stage.run(id, 2 * DAY);
    expect(await stage.target(id)).toMatchObject({ state: "failed", attempts: 1, error: { code: "rate_limited" } });
    expect(await stage.read(id)).toMatchObject({ status: "failed" });
  });

  test("what the platform accepted is asked for until it is there", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.commits.push("accepted");
    stage.x.verifies.push(
      ...Array.from({ length: 12 }, () => ({ state: "again", afterSeconds: 10, known: true }) as const),
    );
    await stage.run(id, MINUTE + 30 * SECOND);
    expect(await stage.target(id), "not in doubt").toMatchObject({ state: "processing", nextAttemptAt: null });
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({ state: "published" });
    expect(stage.x.called("commit")).toBe(1);
    expect((await stage.target(id)).history).toHaveLength(4);
  });

  test("what is in doubt always tells when it is looked for again", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.commits.push("lost_after");
    stage.x.verifies.push(
      ...Array.from({ length: 3 }, () => ({ state: "again", afterSeconds: 60, known: false }) as const),
    );
    for (let looks = 1; looks <= 3; looks += 1) {
      for (let turns = 0; stage.x.called("verify") < looks && turns < 10; turns += 1) {
        stage.now = (await stage.alarmAt(id))!;
        await stage.fire(id);
      }
      const { state, nextAttemptAt, history } = await stage.target(id);
      expect(state).toBe("verifying");
      expect(nextAttemptAt).toBe(stage.now + 60 * SECOND);
      expect(history.at(-1)).toMatchObject({ step: "verify", outcome: "again", at: stage.now, nextAttemptAt });
    }
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({ state: "published", nextAttemptAt: null });
  });

  test("several visible calls survive a crash between them", async () => {
    const stage = await PublisherHarness.open();
    stage.x.parts = 3;
    const id = await stage.post();
    stage.x.commits.push("ok", "lost_after", "lost_before");
    setFailpointHook((point) => {
      if (point === "commit.after_send" && stage.x.accepted(id).length === 2) {
        setFailpointHook(undefined);
        stage.kill(id);
        throw new Error("killed");
      }
    });
    await stage.run(id);
    expect(stage.x.accepted(id).map((entry) => entry.part)).toEqual([0, 1, 2]);
    expect(await stage.target(id)).toMatchObject({ state: "published", progress: { done: 2 } });
  });
});

describe("accounts", () => {
  test("a refused login ends the target and the account waits for its owner", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    stage.x.commits.push("reconnect");
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({
      state: "failed",
      error: { code: "auth_expired", whoMustAct: "platform" },
    });
    expect(await stage.read(id)).toMatchObject({ status: "partially_failed" });
    const account = await env.DB.prepare("SELECT status FROM accounts WHERE id = ?").bind(stage.accounts.x).first();
    expect(account).toEqual({ status: "needs_reconnect" });
  });

  test("a login that is refused before the time is told of at once", async () => {
    const stage = await PublisherHarness.open();
    stage.x.prepareAheadMs = 10 * MINUTE;
    const id = await stage.post({ inMs: HOUR, on: ["x", "linkedin"] });
    stage.x.prepares.push({ outcome: { state: "refused", fault: fault("reconnect") } });
    await stage.run(id, HOUR - 3 * SECOND);
    const account = await env.DB.prepare("SELECT status FROM accounts WHERE id = ?").bind(stage.accounts.x).first();
    expect(account).toEqual({ status: "needs_reconnect" });
    expect(await stage.read(id)).toMatchObject({ status: "scheduled" });
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({ state: "failed", error: { code: "auth_expired" } });
    expect(await stage.target(id, "linkedin")).toMatchObject({ state: "published" });
  });

  test("T16 an account that is gone at the due time fails alone", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post({ on: ["x", "linkedin"] });
    await env.DB.prepare("UPDATE accounts SET disconnected_at = 1 WHERE id = ?").bind(stage.accounts.x).run();
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({ state: "failed", error: { code: "account_disconnected" } });
    expect(await stage.target(id, "linkedin")).toMatchObject({ state: "published" });
  });
});

describe("what is sent", () => {
  test("P14 found more than a day late, it is not sent any more", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.now += 25 * HOUR;
    await stage.fire(id);
    expect(stage.x.calls).toEqual([]);
    expect(await stage.read(id)).toMatchObject({ status: "failed", watchAt: null });
    expect(await stage.target(id)).toMatchObject({
      state: "failed",
      error: { code: "missed_window" },
      history: [{ outcome: "missed_window" }],
    });
    expect(await stage.stored(id)).toEqual([]);
  });

  test("a day late minus a minute, it is", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.now += DAY;
    await stage.run(id);
    expect(stage.x.accepted(id)).toHaveLength(1);
  });

  test.each([
    "UPDATE post_targets SET effective_caption = 'changed behind our back' WHERE post_id = ?",
    'UPDATE post_targets SET options = \'{"reply_settings":"verified"}\' WHERE post_id = ?',
    "UPDATE posts SET plan_hash = 'another' WHERE id = ?",
  ])("nothing that differs from what was confirmed: %s", async (sql) => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    await env.DB.prepare(sql).bind(id).run();
    await stage.run(id);
    expect(stage.x.calls).toEqual([]);
    expect(await stage.target(id)).toMatchObject({
      state: "failed",
      error: { code: "plan_mismatch", whoMustAct: "operator" },
    });
  });

  test("media come from our own store, with what is known of them", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    await stage.withMedia(id, "video");
    const seen: unknown[] = [];
    stage.x.before = async (step, job) => {
      for (const media of step === "commit" ? job.media : []) {
        const body = await new Response(await media.read()).text();
        const part = await new Response(await media.read({ offset: 1, length: 1 })).text();
        seen.push([job.postType, media.filename, media.facts, body, part]);
      }
    };
    await stage.run(id);
    expect(seen).toEqual([["video", "file.bin", { frameRate: 30 }, "abc", "b"]]);
  });

  test("media that are missing end the target with the reason", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    await stage.withMedia(id, "image");
    for (const { key } of (await env.MEDIA.list()).objects) {
      await env.MEDIA.delete(key);
    }
    stage.x.before = async (step, job) => {
      if (step === "prepare") {
        await job.media[0]!.read();
      }
    };
    await stage.run(id);
    expect(await stage.target(id)).toMatchObject({
      state: "failed",
      error: { code: "media_invalid", whoMustAct: "operator" },
    });
  });
});

describe("the object itself", () => {
  test("sets its dead-man alarm before anything else, and never throws", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    let alarmAt: number | null = null;
    setFailpointHook(async (point) => {
      if (point === "alarm.awake") {
        setFailpointHook(undefined);
        alarmAt = await stage.alarmAt(id);
        throw new Error("boom");
      }
    });
    stage.now += MINUTE;
    await stage.fire(id);
    expect(alarmAt).toBe(stage.now + 30 * SECOND);
    expect(await stage.alarmAt(id)).toBe(stage.now + SECOND / 2);
  });

  test("comes back after errors with growing waits, half a minute at most", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    setFailpointHook(() => Promise.reject(new Error("boom")));
    stage.now += MINUTE;
    const waits: number[] = [];
    for (let error = 0; error < 9; error += 1) {
      await stage.fire(id);
      waits.push((await stage.alarmAt(id))! - stage.now);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test("an alarm is never set for this very instant", async () => {
    const stage = await PublisherHarness.open();
    const id = await stage.post();
    stage.x.prepares.push({ outcome: { state: "again", afterSeconds: 0.001, cursor: 1 } });
    stage.now += MINUTE;
    await stage.fire(id);
    const at = await stage.alarmAt(id);
    expect(at === null || at - stage.now >= 250).toBe(true);
  });
});
