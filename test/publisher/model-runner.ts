import { DAY, MINUTE } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { cancelPost } from "#posting/status/cancel-post.ts";
import { confirmEdit } from "#posting/confirm/confirm-edit.ts";
import { confirmSchedule } from "#posting/confirm/confirm-schedule.ts";
import { pausePost } from "#posting/status/pause-post.ts";
import { previewEdit } from "#posting/edit/preview-edit.ts";
import { previewSchedule } from "#posting/preview/preview-schedule.ts";
import { resumePost } from "#posting/status/resume-post.ts";
import { isTerminal } from "#posting/state-machine.ts";
import { reconcile } from "#publisher/index.ts";
import { type Command, LOOKS } from "./model-commands.ts";
import { type Content, must, Invariants } from "./invariants.ts";
import { type PublisherHarness, WORDS } from "./publisher-harness.ts";

type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refused: boolean };

interface Token {
  readonly token: string;
  readonly content: Content;
  wins: number;
}

const VERBS = { cancel: cancelPost, pause: pausePost, resume: resumePost };

/** Posts, what their owner does with them and what befalls them, with every promise checked after each step. */
export class ModelRunner {
  private readonly promises: Invariants;
  private readonly tokens: (Token & { readonly targets: number })[] = [];
  private readonly edits: (Token & { readonly postId: string })[] = [];
  private serial = 0;
  /** Once true, a verb may end without an answer. */
  private disturbed = false;

  constructor(private readonly stage: PublisherHarness) {
    this.promises = new Invariants(stage);
  }

  async run(commands: readonly Command[]): Promise<void> {
    for (const command of commands) {
      await this.step(command);
      await this.stage.settled();
      await this.promises.check(command.do === "edit_confirm");
    }
    await this.heal();
  }

  private async step(command: Command): Promise<void> {
    const { stage } = this;
    switch (command.do) {
      case "post":
        await this.preview(command);
        return await this.confirm(this.tokens.length - 1, command.times);
      case "preview":
        return await this.preview(command);
      case "confirm":
        return await this.confirm(command.which, command.times);
      case "edit_preview":
        return await this.previewEdit(command);
      case "edit_confirm":
        return await this.confirmEdit(command.which, command.times);
      case "cancel":
      case "pause":
      case "resume":
        return await this.withPost(command.which, async (id) => {
          const answer = await this.attempt<unknown>(() => VERBS[command.do](stage.ctx, { id }));
          const promised = this.promises.posts.get(id);
          if (promised && command.do === "cancel" && answer.ok) {
            promised.cancelled = true;
          }
        });
      case "clock":
        stage.now += command.ms;
        return;
      case "go_on":
        stage.now = Math.max(stage.now, Math.min(stage.now + 10 * MINUTE, ...(await this.alarms(this.ids()))));
        return await this.fireDue();
      case "due_alarms":
        return await this.fireDue();
      case "stray_alarm":
        return await this.withPost(command.which, (id) => stage.fire(id));
      case "evict":
        return await this.withPost(command.which, (id) => stage.evict(id));
      case "wipe":
        return await this.withPost(command.which, (id) => stage.wipe(id));
      case "cron":
        await this.attempt(() => reconcile(stage.ctx));
        return;
      case "crash":
        return this.crash(command);
      case "database":
        this.disturbed = true;
        stage.d1Faults.push(command.fault);
        return;
      case "commit_play":
        stage[command.on].commits.push(command.play);
        return;
      case "prepare_play":
        stage[command.on].prepares.push(command.play);
        return;
      case "verify_play":
        stage[command.on].verifies.push(LOOKS[command.play]);
    }
  }

  private async preview({ inMs, on }: Extract<Command, { do: "preview" | "post" }>): Promise<void> {
    const { stage } = this;
    const content = { caption: `post ${(this.serial += 1)}`, scheduledAt: stage.now + inMs };
    const accountIds = on.map((word) => stage.accounts[word]);
    const answer = await this.attempt(() => previewSchedule(stage.ctx, { ...content, accountIds }));
    if (answer.ok) {
      this.tokens.push({ token: answer.value.confirmationToken, content, targets: on.length, wins: 0 });
    }
  }

  private async confirm(which: number, times: number): Promise<void> {
    const token = pick(this.tokens, which);
    if (!token) {
      return;
    }
    await this.race(token, times, (confirmationToken) => confirmSchedule(this.stage.ctx, { confirmationToken }));
    for (const row of await this.promises.rows()) {
      if (!this.promises.posts.has(row.id)) {
        must(row.caption === token.content.caption, "a confirm makes the post that was previewed");
        this.promises.posts.set(row.id, { contents: [token.content], targets: token.targets, cancelled: false });
      }
    }
  }

  private async previewEdit(command: Extract<Command, { do: "edit_preview" }>): Promise<void> {
    const { stage } = this;
    await this.withPost(command.which, async (postId) => {
      const caption = `edit ${(this.serial += 1)}`;
      const scheduledAt = stage.now + command.shiftMinutes * MINUTE;
      const time = command.retime ? { scheduledAt } : {};
      const answer = await this.attempt(() => previewEdit(stage.ctx, { postIds: [postId], caption, ...time }));
      const after = answer.ok ? answer.value.preview.posts[0]?.after : undefined;
      if (answer.ok && after) {
        const content = { caption, scheduledAt: after.scheduledAt };
        this.edits.push({ token: answer.value.confirmationToken, postId, content, wins: 0 });
      }
    });
  }

  private async confirmEdit(which: number, times: number): Promise<void> {
    const edit = pick(this.edits, which);
    const promised = edit && this.promises.posts.get(edit.postId);
    if (!edit || !promised) {
      return;
    }
    const answers = await this.race(edit, times, (confirmationToken) =>
      confirmEdit(this.stage.ctx, { confirmationToken }),
    );
    if (answers.some((answer) => answer.ok)) {
      promised.contents = [edit.content];
    } else if (answers.some((answer) => !answer.ok && !answer.refused)) {
      promised.contents.push(edit.content);
    }
  }

  /** Several confirms of one token at once. */
  private async race<T>(token: Token, times: number, confirm: (token: string) => Promise<T>): Promise<Answer<T>[]> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.attempt(() => confirm(token.token))));
    token.wins += answers.filter((answer) => answer.ok).length;
    must(token.wins <= 1, "I7: one token, one yes");
    return answers;
  }

  /** A verb as a client sees it: a yes, a refusal, or no answer at all, which only a disturbance may cause. */
  private async attempt<T>(verb: () => Promise<T>): Promise<Answer<T>> {
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

  private crash({ point, lose }: Extract<Command, { do: "crash" }>): void {
    this.disturbed = true;
    setFailpointHook((passed) => {
      if (passed === point) {
        setFailpointHook(undefined);
        this.stage.killAll(lose);
        throw new Error(`killed at ${point}`);
      }
    });
  }

  private ids(): string[] {
    return [...this.promises.posts.keys()];
  }

  private async withPost(which: number, act: (id: string) => void | Promise<void>): Promise<void> {
    const id = pick(this.ids(), which);
    if (id) {
      await act(id);
    }
  }

  private async alarms(ids: readonly string[]): Promise<number[]> {
    const alarms = await Promise.all(ids.map((id) => this.stage.alarmAt(id)));
    return alarms.filter((at) => at !== null);
  }

  private async fireDue(): Promise<void> {
    for (const id of this.ids()) {
      const at = await this.stage.alarmAt(id);
      if (at !== null && at <= this.stage.now) {
        await this.stage.fire(id);
      }
    }
  }

  /** Faults stop: cron and alarms run until nothing moves, and then everything has its end (I2) and nothing is left (I13). */
  private async heal(): Promise<void> {
    const { stage, promises } = this;
    setFailpointHook(undefined);
    stage.d1Faults.length = 0;
    for (const word of WORDS) {
      for (const plays of [stage[word].commits, stage[word].prepares, stage[word].verifies]) {
        plays.length = 0;
      }
    }
    const patience = stage.now + 2 * DAY;
    const moving = async () =>
      (await promises.rows()).filter((row) => row.status === "scheduled" || row.status === "publishing");
    for (let open = await moving(); open.length > 0; open = await moving()) {
      must(stage.now < patience, `I2: ${open.map((row) => row.status).join(" and ")} for ever`);
      await reconcile(stage.ctx);
      const alarms = await this.alarms(open.map((row) => row.id));
      stage.now = Math.max(stage.now + 1, Math.min(stage.now + 10 * MINUTE, ...alarms));
      await this.fireDue();
      await promises.check(false);
    }
    for (const row of await promises.rows()) {
      const ended = row.targets.every(([, state]) => isTerminal(state));
      must(ended || row.status === "cancelled" || row.status === "paused", "I2: every target has its end");
      // An object that did not hear of the end finds out when it wakes.
      await stage.run(row.id);
      await stage.fire(row.id);
      must((await stage.stored(row.id)).length === 0, "I13: nothing is kept");
      must((await stage.alarmAt(row.id)) === null, "I13: nothing wakes");
    }
  }
}

function pick<T>(list: readonly T[], index: number): T | undefined {
  return list[index % Math.max(1, list.length)];
}
