import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { cancelPost } from "#post-status/status/cancel-post.ts";
import { confirmEdit } from "#confirming/confirm/confirm-edit.ts";
import { confirmSchedule } from "#confirming/confirm/confirm-schedule.ts";
import { pausePost } from "#post-status/status/pause-post.ts";
import { previewEdit } from "#confirming/preview/preview-edit.ts";
import { previewSchedule } from "#confirming/preview/preview-schedule.ts";
import { resumePost } from "#post-status/status/resume-post.ts";
import { isTerminal } from "#posts/rows/state-machine.ts";
import { reconcile } from "#publisher/reconcile-overdue.ts";
import { type Command, VERIFY_OUTCOMES } from "./model-commands.ts";
import { type PostContent, assertInvariant, Invariants } from "./invariants.ts";
import { type PublisherHarness, TEST_PLATFORMS, type TestPlatform } from "./publisher-harness.ts";

type CallResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refused: boolean };

interface IssuedToken {
  readonly token: string;
  readonly content: PostContent;
  successes: number;
}

const STATUS_CHANGES = { cancel: cancelPost, pause: pausePost, resume: resumePost };

/** Runs a sequence of commands against the service and checks every invariant after each command. */
export class ModelRunner {
  private readonly invariants: Invariants;
  private readonly tokens: (IssuedToken & { readonly targets: number })[] = [];
  private readonly editTokens: (IssuedToken & { readonly postId: string })[] = [];
  private captionNumber = 0;
  /** Whether a crash or a D1 failure was injected; only then may a call end without an answer. */
  private hasDisturbance = false;

  constructor(private readonly harness: PublisherHarness) {
    this.invariants = new Invariants(harness);
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      await this.step(command);
      await this.harness.flushDeferred();
      await this.invariants.check(command.do === "edit_confirm");
    }
    await this.runToCompletion();
  }

  private async step(command: Command): Promise<void> {
    const { harness } = this;
    switch (command.do) {
      case "create_post":
        await this.preview(command);
        return await this.confirm(this.tokens.length - 1, command.times);
      case "preview":
        return await this.preview(command);
      case "confirm":
        return await this.confirm(command.index, command.times);
      case "edit_preview":
        return await this.previewEdit(command);
      case "edit_confirm":
        return await this.confirmEdit(command.index, command.times);
      case "cancel":
      case "pause":
      case "resume":
        return await this.withPost(command.index, async (id) => {
          const result = await this.attempt<unknown>(() => STATUS_CHANGES[command.do](harness.ctx, { id }));
          const expected = this.invariants.posts.get(id);
          if (expected && command.do === "cancel" && result.ok) {
            expected.cancelled = true;
          }
        });
      case "advance_clock":
        harness.now += command.ms;
        return;
      case "advance_to_next_alarm":
        harness.now = Math.max(harness.now, Math.min(harness.now + 10 * MINUTE, ...(await this.alarms(this.ids()))));
        return await this.fireDue();
      case "fire_due_alarms":
        return await this.fireDue();
      case "spurious_alarm":
        return await this.withPost(command.index, (id) => harness.fireAlarm(id));
      case "evict":
        return await this.withPost(command.index, (id) => harness.evict(id));
      case "wipe":
        return await this.withPost(command.index, (id) => harness.wipeStorage(id));
      case "run_cron":
        await this.attempt(() => reconcile(harness.ctx));
        return;
      case "lose_run":
        return await this.loseRun(command);
      case "let_wait":
        return await this.letWait(command);
      case "change_at_claim":
        return await this.changeAtClaim(command);
      case "late_write":
        return this.loseWrite();
      case "late_write_arrives":
        return await this.deliverLateWrites();
      case "crash":
        this.crash(command);
        return;
      case "d1_failure":
        this.hasDisturbance = true;
        harness.d1Failures.push(command.failure);
        return;
      case "commit_behaviour":
        harness[command.on].commitBehaviours.push(command.behaviour);
        return;
      case "prepare_behaviour":
        harness[command.on].prepareBehaviours.push(command.behaviour);
        return;
      case "verify_outcome":
        harness[command.on].verifyOutcomes.push(VERIFY_OUTCOMES[command.behaviour]);
    }
  }

  private async preview({ inMs, on }: Extract<Command, { do: "preview" | "create_post" }>): Promise<void> {
    const { harness } = this;
    const content = { caption: `post ${(this.captionNumber += 1)}`, scheduledAt: harness.now + inMs };
    const accountIds = on.map((platform) => harness.accounts[platform]);
    const result = await this.attempt(() => previewSchedule(harness.ctx, { ...content, accountIds }));
    if (result.ok) {
      this.tokens.push({ token: result.value.confirmationToken, content, targets: on.length, successes: 0 });
    }
  }

  private async confirm(index: number, times: number): Promise<void> {
    const token = pick(this.tokens, index);
    if (!token) {
      return;
    }
    await this.confirmConcurrently(token, times, (confirmationToken) =>
      confirmSchedule(this.harness.ctx, { confirmationToken }),
    );
    for (const row of await this.invariants.rows()) {
      if (!this.invariants.posts.has(row.id)) {
        assertInvariant(row.caption === token.content.caption, "a confirm creates the post that was previewed");
        this.invariants.posts.set(row.id, { contents: [token.content], targets: token.targets, cancelled: false });
      }
    }
  }

  private async previewEdit(command: Extract<Command, { do: "edit_preview" }>): Promise<void> {
    const { harness } = this;
    await this.withPost(command.index, async (postId) => {
      const caption = `edit ${(this.captionNumber += 1)}`;
      const scheduledAt = harness.now + command.shiftMinutes * MINUTE;
      const time = command.reschedule ? { scheduledAt } : {};
      const result = await this.attempt(() => previewEdit(harness.ctx, { postIds: [postId], caption, ...time }));
      const after = result.ok ? result.value.preview.posts[0]?.after : undefined;
      if (result.ok && after) {
        const content = { caption, scheduledAt: Number(after.scheduledAt) };
        this.editTokens.push({ token: result.value.confirmationToken, postId, content, successes: 0 });
      }
    });
  }

  private async confirmEdit(index: number, times: number): Promise<void> {
    const edit = pick(this.editTokens, index);
    const expected = edit && this.invariants.posts.get(edit.postId);
    if (!edit || !expected) {
      return;
    }
    const results = await this.confirmConcurrently(edit, times, (confirmationToken) =>
      confirmEdit(this.harness.ctx, { confirmationToken }),
    );
    if (results.some((result) => result.ok)) {
      expected.contents = [edit.content];
    } else if (results.some((result) => !result.ok && !result.refused)) {
      expected.contents.push(edit.content);
    }
  }

  /** Sends several confirms of one token at the same time. */
  private async confirmConcurrently<T>(
    token: IssuedToken,
    times: number,
    confirm: (token: string) => Promise<T>,
  ): Promise<CallResult<T>[]> {
    const results = await Promise.all(Array.from({ length: times }, () => this.attempt(() => confirm(token.token))));
    token.successes += results.filter((result) => result.ok).length;
    assertInvariant(token.successes <= 1, "I7: a token is confirmed once at most");
    return results;
  }

  /** Calls as a client does: success, a refusal, or no answer, which only an injected disturbance may cause. */
  private async attempt<T>(call: () => Promise<T>): Promise<CallResult<T>> {
    try {
      return { ok: true, value: await call() };
    } catch (error) {
      const refused = error instanceof RefusalError;
      if (!refused && !this.hasDisturbance) {
        throw error;
      }
      return { ok: false, refused };
    }
  }

  /** A new post; undefined if an injected failure prevents it. */
  private async createPost(content: { inMs: number; on: readonly TestPlatform[] }): Promise<string | undefined> {
    const existing = new Set(this.ids());
    await this.preview({ do: "create_post", inMs: content.inMs, on: content.on, times: 1 });
    await this.confirm(this.tokens.length - 1, 1);
    await this.harness.flushDeferred();
    return this.ids().find((one) => !existing.has(one));
  }

  private async letWait({ inMs, on, change, point }: Extract<Command, { do: "let_wait" }>): Promise<void> {
    const { harness } = this;
    const id = await this.createPost({ inMs, on });
    if (!id) {
      return;
    }
    for (const platform of on) {
      harness[platform].commitBehaviours.unshift("rate_limited");
    }
    const isWaiting = async () => {
      const targets = [...(await harness.readTargets(id)).values()];
      return targets.some(({ state }) => state === "retry_wait");
    };
    for (let turns = 0; turns < 10 && !(await isWaiting()); turns += 1) {
      const at = await harness.alarmAt(id);
      if (at === null) {
        return;
      }
      harness.now = Math.max(harness.now, at);
      await harness.fireAlarm(id);
    }
    if (change === "none") {
      return;
    }
    setFailpointHook(async (reached) => {
      if (reached === point) {
        setFailpointHook(undefined);
        await (change === "cancel" ? this.cancel(id) : this.editPost(id));
      }
    });
  }

  private async changeAtClaim(command: Extract<Command, { do: "change_at_claim" }>): Promise<void> {
    const { harness } = this;
    const id = await this.createPost(command);
    const scheduledAt = id === undefined ? undefined : (await harness.readPost(id))?.scheduledAt;
    if (id === undefined || scheduledAt === undefined) {
      return;
    }
    const reached = { happened: false };
    setFailpointHook(async (point) => {
      if (point === command.point && !reached.happened) {
        reached.happened = true;
        setFailpointHook(undefined);
        await this.applyChange(id, command.change, scheduledAt);
      }
    });
    for (let turns = 0; turns < 5 && !reached.happened; turns += 1) {
      harness.now = Math.max(harness.now, (await harness.alarmAt(id)) ?? 0);
      await harness.fireAlarm(id);
    }
    setFailpointHook(undefined);
  }

  private async applyChange(
    id: string,
    change: Extract<Command, { do: "change_at_claim" }>["change"],
    scheduledAt: number,
  ): Promise<void> {
    switch (change) {
      case "cancel":
        return await this.cancel(id);
      case "edit":
        return await this.editPost(id);
      case "sooner":
        return await this.editPost(id, scheduledAt - 100);
      case "later":
        return await this.editPost(id, scheduledAt + SECOND);
      case "much_later":
        return await this.editPost(id, scheduledAt + 10 * SECOND);
      case "clock_back":
        this.harness.now -= MINUTE;
    }
  }

  private async cancel(id: string): Promise<void> {
    const result = await this.attempt(() => cancelPost(this.harness.ctx, { id }));
    const expected = this.invariants.posts.get(id);
    if (expected && result.ok) {
      expected.cancelled = true;
    }
  }

  private async editPost(id: string, scheduledAt?: number): Promise<void> {
    const caption = `edit ${(this.captionNumber += 1)}`;
    const time = scheduledAt === undefined ? {} : { scheduledAt };
    const preview = await this.attempt(() => previewEdit(this.harness.ctx, { postIds: [id], caption, ...time }));
    const after = preview.ok ? preview.value.preview.posts[0]?.after : undefined;
    if (preview.ok && after) {
      const content = { caption, scheduledAt: Number(after.scheduledAt) };
      const token = preview.value.confirmationToken;
      this.editTokens.push({ token, postId: id, content, successes: 0 });
      await this.confirmEdit(this.editTokens.length - 1, 1);
    }
  }

  private loseWrite(): void {
    this.hasDisturbance = true;
    setFailpointHook((reached) => {
      if (reached === "record.before_send") {
        setFailpointHook(undefined);
        this.harness.d1Failures.unshift("late");
      }
    });
  }

  private async deliverLateWrites(): Promise<void> {
    for (const write of this.harness.lateD1Calls.splice(0)) {
      await write();
    }
  }

  private async loseRun(command: Extract<Command, { do: "lose_run" }>): Promise<void> {
    const { harness } = this;
    const id = await this.createPost(command);
    if (!id) {
      return;
    }
    const killed = this.crash({ point: command.point, loseUnflushed: true });
    for (let turns = 0; turns < 10 && !killed.happened; turns += 1) {
      const at = await harness.alarmAt(id);
      if (at === null) {
        break;
      }
      harness.now = Math.max(harness.now, at);
      await harness.fireAlarm(id);
    }
    setFailpointHook(undefined);
    await harness.wipeStorage(id);
  }

  private crash({ point, loseUnflushed }: Pick<Extract<Command, { do: "crash" }>, "point" | "loseUnflushed">): {
    readonly happened: boolean;
  } {
    this.hasDisturbance = true;
    const killed = { happened: false };
    setFailpointHook((reached) => {
      if (reached === point) {
        killed.happened = true;
        setFailpointHook(undefined);
        this.harness.killAll(loseUnflushed);
        throw new Error(`killed at ${point}`);
      }
    });
    return killed;
  }

  private ids(): string[] {
    return [...this.invariants.posts.keys()];
  }

  private async withPost(index: number, act: (id: string) => void | Promise<void>): Promise<void> {
    const id = pick(this.ids(), index);
    if (id) {
      await act(id);
    }
  }

  private async alarms(ids: readonly string[]): Promise<number[]> {
    const alarms = await Promise.all(ids.map((id) => this.harness.alarmAt(id)));
    return alarms.filter((at) => at !== null);
  }

  private async fireDue(): Promise<void> {
    for (const id of this.ids()) {
      const at = await this.harness.alarmAt(id);
      if (at !== null && at <= this.harness.now) {
        await this.harness.fireAlarm(id);
      }
    }
  }

  /** Stops all failures, then runs cron and alarms: every post ends (I2) and no storage or alarm is left (I13). */
  private async runToCompletion(): Promise<void> {
    const { harness, invariants } = this;
    setFailpointHook(undefined);
    harness.d1Failures.length = 0;
    await this.deliverLateWrites();
    for (const platform of TEST_PLATFORMS) {
      for (const queue of [
        harness[platform].commitBehaviours,
        harness[platform].prepareBehaviours,
        harness[platform].verifyOutcomes,
      ]) {
        queue.length = 0;
      }
    }
    const deadline = harness.now + 2 * DAY;
    const readOpenRows = async () =>
      (await invariants.rows()).filter((row) => row.status === "scheduled" || row.status === "publishing");
    for (let openRows = await readOpenRows(); openRows.length > 0; openRows = await readOpenRows()) {
      assertInvariant(harness.now < deadline, `I2: ${openRows.map((row) => row.status).join(" and ")} without end`);
      await reconcile(harness.ctx);
      const alarms = await this.alarms(openRows.map((row) => row.id));
      harness.now = Math.max(harness.now + 1, Math.min(harness.now + 10 * MINUTE, ...alarms));
      await this.fireDue();
      await invariants.check(false);
    }
    for (const row of await invariants.rows()) {
      const ended = row.targets.every(([, state]) => isTerminal(state));
      assertInvariant(ended || row.status === "cancelled" || row.status === "paused", "I2: every target ends");
      // An object that was not told of the end cleans up when it wakes.
      await harness.runAlarms(row.id);
      await harness.fireAlarm(row.id);
      assertInvariant((await harness.storedKeys(row.id)).length === 0, "I13: no storage is left");
      assertInvariant((await harness.alarmAt(row.id)) === null, "I13: no alarm is left");
    }
  }
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
