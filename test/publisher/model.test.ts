import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { setFaultHook } from "#core/fault-point.ts";
import type { PostStatus, TargetState } from "#core/status.ts";
import { cancelPost } from "#posting/cancel.ts";
import { confirmEdit } from "#posting/confirm-edit.ts";
import { confirmSchedule } from "#posting/confirm-schedule.ts";
import { pausePost } from "#posting/pause.ts";
import { previewEdit } from "#posting/preview-edit.ts";
import { previewSchedule } from "#posting/preview-schedule.ts";
import { resumePost } from "#posting/resume.ts";
import { isTerminal } from "#posting/state.ts";
import { reconcile } from "#publisher/index.ts";
import type { CommitPlay, PreparePlay } from "./far-end.ts";
import { CONFIRM_POINTS, POINTS } from "./points.ts";
import { quiet, Stage } from "./stage.ts";

/*
 * A random life of posts against the invariants I1 to I13 of docs/how-it-works.md: previews, racing confirms, edits, cancels,
 * clocks, alarms, crons, crashes at every named point, lost storage, a failing database and every answer a platform can give.
 * More lives: VITE_MODEL_RUNS=500 vitest run test/publisher/model.test.ts
 */

/** Vite hands down what begins with VITE_; the Workers types do not know of it. */
const settings = (import.meta as { env?: Readonly<Record<string, string | undefined>> }).env;
const RUNS = Number(settings?.["VITE_MODEL_RUNS"] ?? 25);
const STEPS = 40;
const STATES = ["scheduled", "publishing", "published", "partially_failed", "failed", "paused"] as const;

beforeEach(quiet);
afterEach(() => setFaultHook(undefined));

// ---------------------------------------------------------------- commands

const which = fc.nat({ max: 30 });
const platform = fc.constantFrom("x", "linkedin", "threads");
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("preview"), inMs: fc.constantFrom(5 * SECOND, 30 * SECOND, 5 * MINUTE), on: fc.uniqueArray(platform, { minLength: 1 }) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant("confirm"), which, times: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("edit_preview"), which, retime: fc.boolean(), shiftMinutes: fc.integer({ min: 1, max: 10 }) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("edit_confirm"), which, times: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("cancel", "pause", "resume"), which }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("clock"), ms: fc.constantFrom(100, SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 20 * MINUTE) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("due_alarms") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("stray_alarm", "evict", "wipe"), which }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("cron") }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("crash"), point: fc.constantFrom(...POINTS, ...CONFIRM_POINTS), lose: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("database"), fault: fc.constantFrom("before", "after") }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("commit_play"),
      on: platform,
      play: fc.constantFrom<CommitPlay>("lost_before", "lost_after", "wrong_after", "rate_limited", "rejected", "reconnect", "stale", "accepted"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("prepare_play"),
      on: platform,
      play: fc.constantFrom<PreparePlay>("again", "temporary", "rate_limited", "rejected", "throws"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("verify_play"), on: platform, play: fc.constantFrom("again", "cannot_tell", "known") }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

// ---------------------------------------------------------------- the world and what was promised

interface Content {
  readonly caption: string;
  readonly scheduledAt: number;
}

interface Promised {
  /** What may go out: the last content that was answered with a yes, and later ones whose answer was lost. */
  contents: Content[];
  readonly targets: number;
  cancelled: boolean;
}

interface Row {
  readonly id: string;
  readonly status: PostStatus;
  readonly version: number;
  readonly watch_at: number | null;
  readonly caption: string;
  readonly targets: readonly (readonly [accountId: string, state: TargetState])[];
}

class Life {
  private readonly tokens: { token: string; serial: number; content: Content; targets: number; wins: number }[] = [];
  private readonly edits: { token: string; postId: string; content: Content; wins: number }[] = [];
  private readonly promised = new Map<string, Promised>();
  private readonly before = new Map<string, Row>();
  private serial = 0;
  private disturbed = false;

  constructor(private readonly stage: Stage) {}

  async run(commands: readonly Command[]): Promise<void> {
    for (const one of commands) {
      await this.step(one);
      await this.stage.settled();
      await this.check(one);
    }
    await this.heal();
  }

  private async step(command: Command): Promise<void> {
    const { stage } = this;
    const posts = [...this.promised.keys()];
    const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
    switch (command.do) {
      case "preview": {
        const content = { caption: `p${(this.serial += 1)}`, scheduledAt: stage.now + command.inMs };
        const previewed = await this.attempt(() =>
          previewSchedule(stage.ctx, { ...content, accountIds: command.on.map((word) => stage.accounts[word as "x"]) }),
        );
        if (previewed.ok) {
          this.tokens.push({ token: previewed.value.confirmationToken, serial: this.serial, content, targets: command.on.length, wins: 0 });
        }
        return;
      }
      case "confirm": {
        const token = pick(this.tokens, command.which);
        if (!token) {
          return;
        }
        const answers = await Promise.all(
          Array.from({ length: command.times }, () =>
            this.attempt(() => confirmSchedule(stage.ctx, { confirmationToken: token.token })),
          ),
        );
        token.wins += answers.filter((answer) => answer.ok).length;
        expect(token.wins, "I7: one token, one yes").toBeLessThanOrEqual(1);
        for (const row of await this.rows()) {
          if (!this.promised.has(row.id)) {
            expect(row.caption).toBe(token.content.caption);
            this.promised.set(row.id, { contents: [token.content], targets: token.targets, cancelled: false });
          }
        }
        return;
      }
      case "edit_preview": {
        const postId = pick(posts, command.which);
        if (!postId) {
          return;
        }
        const caption = `${postId.slice(-6)}e${(this.serial += 1)}`;
        const scheduledAt = stage.now + command.shiftMinutes * MINUTE;
        const previewed = await this.attempt(() =>
          previewEdit(stage.ctx, { postIds: [postId], caption, ...(command.retime && { scheduledAt }) }),
        );
        if (previewed.ok) {
          const after = previewed.value.preview.posts[0]!.after;
          this.edits.push({ token: previewed.value.confirmationToken, postId, content: { caption, scheduledAt: after.scheduledAt }, wins: 0 });
        }
        return;
      }
      case "edit_confirm": {
        const edit = pick(this.edits, command.which);
        if (!edit) {
          return;
        }
        const answers = await Promise.all(
          Array.from({ length: command.times }, () => this.attempt(() => confirmEdit(stage.ctx, { confirmationToken: edit.token }))),
        );
        edit.wins += answers.filter((answer) => answer.ok).length;
        expect(edit.wins, "I7: one token, one yes").toBeLessThanOrEqual(1);
        const promise = this.promised.get(edit.postId)!;
        if (answers.some((answer) => answer.ok)) {
          promise.contents = [edit.content];
        } else if (answers.some((answer) => !answer.ok && !answer.refused)) {
          promise.contents.push(edit.content);
        }
        return;
      }
      case "cancel":
      case "pause":
      case "resume": {
        const id = pick(posts, command.which);
        if (id) {
          const verb = { cancel: cancelPost, pause: pausePost, resume: resumePost }[command.do];
          const answer = await this.attempt<unknown>(() => verb(stage.ctx, { id }));
          const promise = this.promised.get(id)!;
          promise.cancelled ||= command.do === "cancel" && answer.ok;
        }
        return;
      }
      case "clock":
        stage.now += command.ms;
        return;
      case "due_alarms":
        for (const id of posts) {
          const at = await stage.alarmAt(id);
          if (at !== null && at <= stage.now) {
            await stage.fire(id);
          }
        }
        return;
      case "stray_alarm":
      case "evict":
      case "wipe": {
        const id = pick(posts, command.which);
        if (id) {
          await { stray_alarm: () => stage.fire(id), evict: () => stage.evict(id), wipe: () => stage.wipe(id) }[command.do]();
        }
        return;
      }
      case "cron":
        await this.attempt(() => reconcile(stage.ctx));
        return;
      case "crash":
        this.disturbed = true;
        setFaultHook((point) => {
          if (point === command.point) {
            setFaultHook(undefined);
            stage.killAll(command.lose);
            throw new Error(`killed at ${point}`);
          }
        });
        return;
      case "database":
        this.disturbed = true;
        stage.d1Faults.push(command.fault as "before" | "after");
        return;
      case "commit_play":
        stage[command.on as "x"].commits.push(command.play);
        return;
      case "prepare_play":
        stage[command.on as "x"].prepares.push(command.play);
        return;
      case "verify_play":
        stage[command.on as "x"].verifies.push(
          command.play === "cannot_tell"
            ? { state: "cannot_tell", detail: "no list today" }
            : { state: "again", afterSeconds: 1, known: command.play === "known" },
        );
    }
  }

  /** A verb as a client sees it: a yes, a refusal, or no answer at all (which only a disturbance may cause). */
  private async attempt<T>(verb: () => Promise<T>): Promise<{ ok: true; value: T } | { ok: false; refused: boolean }> {
    try {
      return { ok: true, value: await verb() };
    } catch (error) {
      const refused = error instanceof RefusalError;
      if (!refused && !this.disturbed) {
        throw error;
      }
      return { ok: false, refused };
    }
  }

  private async rows(): Promise<Row[]> {
    const { results } = await env.DB.prepare(
      `SELECT id, status, version, watch_at, caption,
         (SELECT json_group_array(json_array(account_id, state)) FROM post_targets t WHERE t.post_id = p.id) AS targets
       FROM posts p WHERE workspace_id = ? ORDER BY id`,
    )
      .bind(this.stage.ctx.actor.workspaceId)
      .all<Omit<Row, "targets"> & { targets: string }>();
    return results.map((row) => ({ ...row, targets: JSON.parse(row.targets) as Row["targets"] }));
  }

  private farEnd(accountId: string) {
    const { accounts } = this.stage;
    return this.stage[accounts.x === accountId ? "x" : accounts.linkedin === accountId ? "linkedin" : "threads"];
  }

  private async check(command: Command): Promise<void> {
    const edited = command.do === "edit_confirm";
    for (const row of await this.rows()) {
      const promise = this.promised.get(row.id)!;
      const before = this.before.get(row.id);
      this.before.set(row.id, row);
      expect(row.targets, "I8: never without all its targets").toHaveLength(promise.targets);
      const watched = row.status === "scheduled" || row.status === "publishing";
      expect(row.watch_at !== null, `I10: watch_at of a ${row.status} post`).toBe(watched);
      if (before) {
        expect(row.version, "I11: versions rise").toBeGreaterThanOrEqual(before.version);
        const ended = ["published", "partially_failed", "failed", "cancelled"].includes(before.status);
        if (ended && row.status !== before.status) {
          expect(edited && before.status !== "published" && before.status !== "cancelled", "I11: what ended stays").toBe(true);
        }
      }
      for (const [accountId, state] of row.targets) {
        const book = this.farEnd(accountId).accepted(row.id, accountId);
        expect(book.length, "I1: at most once").toBeLessThanOrEqual(1);
        const old = before?.targets.find(([id]) => id === accountId)?.[1];
        if (old && isTerminal(old) && state !== old) {
          expect(old === "failed" && edited, "I11: a target that ended stays").toBe(true);
        }
        if (state === "published") {
          expect(book, "I6: published means accepted").toHaveLength(1);
        }
        if (state === "failed") {
          expect(book, "I6: a definite failure means not accepted").toHaveLength(0);
        }
        for (const entry of book) {
          expect(promise.cancelled, "I3: nothing after a cancel").toBe(false);
          const content = promise.contents.filter((one) => one.caption === entry.caption);
          expect(content, `I4: ${entry.caption} is what was promised`).not.toHaveLength(0);
          expect(entry.at, "I5: never early").toBeGreaterThanOrEqual(Math.min(...content.map((one) => one.scheduledAt)));
        }
      }
    }
    await this.checkCounters();
  }

  private async checkCounters(): Promise<void> {
    const [kept, counted] = await env.DB.batch<Record<string, number>>([
      env.DB.prepare(
        `SELECT ${STATES.map((state) => `coalesce(sum(${state}), 0) AS ${state}`).join(", ")} FROM post_days WHERE workspace_id = ?`,
      ).bind(this.stage.ctx.actor.workspaceId),
      env.DB.prepare(
        `SELECT ${STATES.map((state) => `coalesce(sum(status = '${state}'), 0) AS ${state}`).join(", ")} FROM posts WHERE workspace_id = ?`,
      ).bind(this.stage.ctx.actor.workspaceId),
    ]);
    expect(kept?.results, "I9: counters").toEqual(counted?.results);
  }

  /** Faults stop: cron and alarms run until nothing moves, and then everything has an end. */
  private async heal(): Promise<void> {
    const { stage } = this;
    setFaultHook(undefined);
    stage.d1Faults.length = 0;
    for (const word of ["x", "linkedin", "threads"] as const) {
      for (const plays of [stage[word].commits, stage[word].prepares, stage[word].verifies]) {
        plays.length = 0;
      }
    }
    const stop = stage.now + 2 * DAY;
    const moving = async () => (await this.rows()).filter((row) => row.status === "scheduled" || row.status === "publishing");
    for (let open = await moving(); open.length > 0; open = await moving()) {
      expect(stage.now, `I2: ${open.map((row) => row.status).join()} for ever`).toBeLessThan(stop);
      await reconcile(stage.ctx);
      const alarms = (await Promise.all(open.map(({ id }) => stage.alarmAt(id)))).filter((at) => at !== null);
      stage.now = Math.max(stage.now + 1, Math.min(stage.now + 10 * MINUTE, ...alarms));
      await this.step({ do: "due_alarms" });
      await this.check({ do: "due_alarms" });
    }
    for (const row of await this.rows()) {
      if (row.status !== "paused") {
        expect(row.status === "cancelled" || row.targets.every(([, state]) => isTerminal(state)), "I2: every target has its end").toBe(true);
      }
      await stage.fire(row.id);
      expect(await stage.stored(row.id), "I13: nothing is kept").toEqual([]);
      expect(await stage.alarmAt(row.id), "I13: nothing wakes").toBeNull();
    }
  }
}

test(
  `${RUNS} random lives keep every promise`,
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: STEPS, size: "max" }), async (commands) => {
        await new Life(await Stage.open()).run(commands);
      }),
      { numRuns: RUNS, endOnFailure: false },
    );
  },
  60_000 + RUNS * 5_000,
);
