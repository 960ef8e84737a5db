import type { Services } from "#context.ts";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Delivery, DeliveryTry } from "#core/webhook-sender.ts";
import { isFailing } from "#webhooks/delivery/is-failing.ts";
import { nextTryAt } from "#webhooks/delivery/retry-schedule.ts";
import { sendTry, type TryResult } from "#webhooks/delivery/send-try.ts";
import { countEventsBetween, disableWebhook } from "#webhooks/delivery/store-delivery.ts";
import { wakeSenders } from "#webhooks/delivery/wake-senders.ts";
import { findReceiver, readRound, type Receiver, receiverSecrets } from "./read-round.ts";
import { type DeliveryStore, type StoredMessage, type WaitingDelivery } from "./store-deliveries.ts";

/**
 * How far ahead (ms) each alarm first sets the next one, so that the object wakes again even if the process is killed.
 */
const RECOVERY_ALARM_MS = 30 * SECOND;
/** How far ahead (ms) every alarm is set at least, because one for the present instant can get lost. */
const MIN_ALARM_DELAY_MS = 250;
/** The runtime aborts an alarm handler after this time (ms). */
const MAX_ALARM_RUNTIME_MS = 15 * MINUTE;
/** After this time (ms) a run starts nothing more, and the next alarm continues. */
const RUN_BUDGET_MS = 5 * MINUTE;
/** How many requests run in parallel. A Worker can have six open connections, and a seventh request would only wait. */
const MAX_IN_FLIGHT = 6;
/**
 * How many retries run in parallel. First tries keep the other connections, so that retries never delay later events.
 */
const MAX_RETRIES_IN_FLIGHT = 3;
/** If fewer first tries wait than this, the next events are read. */
const MIN_WAITING = 50;
/** How often (ms) a sending run reads the webhook again, because it may have been changed or disabled. */
const REREAD_MS = 15 * SECOND;
const ERROR_RETRY_MS = 2 * SECOND;
const ERROR_RETRY_MAX_MS = MINUTE;
const KEEP_DELIVERIES_MS = 30 * DAY;

type AlarmStorage = Pick<DurableObjectStorage, "setAlarm" | "deleteAlarm" | "getAlarm" | "deleteAll">;

interface InFlight {
  /**
   * The subject of the event. Set for a first try, because later events of the subject wait for it; null for a retry.
   */
  readonly subjectId: string | null;
  readonly done: Promise<void>;
}

/**
 * Delivers the events of one webhook with a cursor, a log of deliveries and an alarm. Repeats every delivery that is
 * not recorded as delivered.
 */
export class WebhookRunner {
  private readonly inFlight = new Map<number, InFlight>();
  private waiting: WaitingDelivery[] = [];
  private receiver: Receiver | null = null;
  private readAt = 0;
  private isWoken = false;
  private wakeSignal = Promise.withResolvers<void>();
  private alarmStartedAt: number | null = null;
  private consecutiveErrors = 0;
  private tryError: { readonly error: unknown } | null = null;

  constructor(
    private readonly webhookId: string,
    private readonly storage: AlarmStorage,
    private readonly store: DeliveryStore,
    private readonly services: Services,
  ) {}

  async wake(): Promise<void> {
    this.store.putWebhookId(this.webhookId);
    this.isWoken = true;
    this.wakeSignal.resolve();
    if (this.alarmStartedAt === null) {
      await this.storage.setAlarm(this.now());
    }
  }

  /**
   * Sends what is due. Never throws: the runtime gives up an alarm that keeps throwing, and then nothing would be
   * delivered.
   */
  async alarm(): Promise<void> {
    const startedAt = this.now();
    if (this.alarmStartedAt !== null && startedAt - this.alarmStartedAt < MAX_ALARM_RUNTIME_MS) {
      await this.storage.setAlarm(startedAt + RECOVERY_ALARM_MS);
      return;
    }
    this.alarmStartedAt = startedAt;
    let nextAt: number | null;
    try {
      await this.storage.setAlarm(startedAt + RECOVERY_ALARM_MS);
      nextAt = await this.run(startedAt + RUN_BUDGET_MS);
      this.consecutiveErrors = 0;
    } catch (error) {
      log("warn", "webhook.run_failed", { webhookId: this.webhookId, reason: String(error) });
      nextAt = this.now() + Math.min(ERROR_RETRY_MAX_MS, ERROR_RETRY_MS * 2 ** this.consecutiveErrors);
      this.consecutiveErrors += 1;
    }
    // Do not await until the alarm is set, so that no call of `wake` is missed.
    this.alarmStartedAt = null;
    const wakeAt = this.isWoken ? this.now() : nextAt;
    await (wakeAt === null
      ? this.storage.deleteAlarm()
      : this.storage.setAlarm(Math.max(wakeAt, this.now() + MIN_ALARM_DELAY_MS)));
  }

  /** Sends until nothing is due. Returns when (ms) the next delivery is due. */
  private async run(stopAt: number): Promise<number | null> {
    this.tryError = null;
    this.waiting = this.store.waitingFirstTries().filter(({ n }) => !this.inFlight.has(n));
    let hasMore = await this.read();
    let alarmAt = this.now() + RECOVERY_ALARM_MS;
    while (this.receiver !== null) {
      const isOver = this.now() >= stopAt;
      if (!isOver && !this.receiver.webhook.isDisabled) {
        this.startTries();
      }
      if (this.inFlight.size === 0) {
        if (isOver || this.receiver.webhook.isDisabled || !(hasMore || this.isWoken)) {
          break;
        }
      } else {
        await Promise.race([this.wakeSignal.promise, ...[...this.inFlight.values()].map(({ done }) => done)]);
        this.throwTryError();
      }
      if (alarmAt - this.now() < RECOVERY_ALARM_MS / 2) {
        alarmAt = this.now() + RECOVERY_ALARM_MS;
        await this.storage.setAlarm(alarmAt);
      }
      hasMore ||= this.isWoken;
      if (this.waiting.length >= MIN_WAITING && this.isWoken) {
        this.resetWake();
      }
      const isHungry = hasMore && this.waiting.length < MIN_WAITING;
      if (isHungry || this.now() - this.readAt >= REREAD_MS) {
        hasMore = await this.read();
      }
    }
    if (this.receiver === null) {
      return await this.forget();
    }
    return hasMore ? this.now() : this.nextAlarmAt();
  }

  private resetWake(): void {
    this.isWoken = false;
    this.wakeSignal = Promise.withResolvers<void>();
  }

  private async read(): Promise<boolean> {
    this.resetWake();
    this.readAt = this.now();
    const mayAdd = this.waiting.length < MIN_WAITING;
    const round = await readRound(this.services, this.store, this.webhookId, mayAdd);
    this.receiver = round.receiver;
    if (round.requeued) {
      this.waiting = this.store.waitingFirstTries().filter(({ n }) => !this.inFlight.has(n));
    } else {
      this.waiting.push(...round.added);
    }
    return round.hasMore;
  }

  private nextAlarmAt(): number | null {
    const now = this.now();
    this.store.expire(now - KEEP_DELIVERIES_MS);
    const oldest = this.store.oldestCreatedAt();
    const times = [
      oldest === null ? null : oldest + KEEP_DELIVERIES_MS,
      ...(this.receiver?.webhook.isDisabled === true
        ? []
        : [this.store.nextRetryAt(), this.waiting.length > 0 ? now : null]),
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  private startTries(): void {
    const retries = [...this.inFlight.values()].filter(({ subjectId }) => subjectId === null).length;
    let freeRetries = MAX_RETRIES_IN_FLIGHT - retries;
    const due =
      freeRetries > 0
        ? this.store.dueRetries(this.now(), MAX_IN_FLIGHT + MAX_RETRIES_IN_FLIGHT).filter((n) => !this.inFlight.has(n))
        : [];
    const busy = new Set([...this.inFlight.values()].map(({ subjectId }) => subjectId));
    while (this.inFlight.size < MAX_IN_FLIGHT) {
      // mutant: newest-event-first
      const index = this.waiting.findIndex(({ subjectId }) => !busy.has(subjectId));
      const first = this.waiting[index];
      // Retries get one connection even while first tries wait, so that retries finish too.
      const mayRetry = freeRetries > 0 && (first === undefined || freeRetries === MAX_RETRIES_IN_FLIGHT);
      const retry = mayRetry ? due.shift() : undefined;
      if (retry !== undefined) {
        freeRetries -= 1;
        this.start(retry, null);
      } else if (first) {
        this.waiting.splice(index, 1);
        busy.add(first.subjectId);
        this.start(first.n, first.subjectId);
      } else {
        break;
      }
    }
  }

  private start(n: number, subjectId: string | null): void {
    const done = this.deliver(n)
      .catch((error: unknown) => {
        this.tryError ??= { error };
      })
      .finally(() => this.inFlight.delete(n));
    this.inFlight.set(n, { subjectId, done });
  }

  private throwTryError(): void {
    const failed = this.tryError;
    this.tryError = null;
    if (failed) {
      throw failed.error;
    }
  }

  private async deliver(n: number): Promise<void> {
    const message = this.store.message(n);
    if (message?.status !== "pending" || this.receiver === null) {
      return;
    }
    // mutant: delivered-before-sent
    await failpoint("webhook.before_send");
    const result = await this.send(this.receiver, message);
    await failpoint("webhook.before_record");
    await this.record(n, result);
  }

  private async send(
    receiver: Receiver,
    { eventId, body }: Pick<StoredMessage, "eventId" | "body">,
  ): Promise<TryResult> {
    const secrets = receiverSecrets(receiver, this.now());
    return await sendTry(this.services, { url: receiver.webhook.url, secrets }, { id: eventId, body });
  }

  private async record(n: number, { attempt, meaning }: TryResult): Promise<void> {
    if (meaning.kind === "gone") {
      // Disable first: if the process is killed before the record, the next try gets the same answer.
      await this.disable("gone");
    }
    const message = this.receiver && this.store.message(n);
    if (message === null) {
      return;
    }
    const isSuccess = meaning.kind === "delivered";
    if (isSuccess || message.status !== "pending") {
      // A resend may have delivered the event meanwhile.
      const status = isSuccess ? "delivered" : message.status;
      this.store.recordTry(n, attempt, {
        status,
        failures: message.failures,
        nextTryAt: null,
        isSuccess,
        isFirstFailure: false,
      });
      return;
    }
    const failures = message.failures + 1;
    const retryAfterMs = meaning.kind === "failed" ? meaning.retryAfterMs : null;
    const at =
      meaning.kind === "gone" ? null : nextTryAt({ failures, now: this.now(), retryAfterMs, random: this.random() });
    const status = at === null ? "failed" : "pending";
    this.store.recordTry(n, attempt, { status, failures, nextTryAt: at, isSuccess, isFirstFailure: failures === 1 });
    if (isFailing(this.store.failureRecord(), this.now())) {
      await this.disable("failing");
    }
  }

  private async disable(reason: "gone" | "failing"): Promise<void> {
    const isNew = await disableWebhook(this.services.db, this.webhookId, reason, this.now());
    this.store.putDisabled(true);
    if (this.receiver) {
      const { webhook } = this.receiver;
      this.receiver = { ...this.receiver, webhook: { ...webhook, isDisabled: true } };
      if (isNew) {
        log("info", "webhook.disabled", { webhookId: this.webhookId, reason });
        await wakeSenders(this.services, webhook.workspaceId);
      }
    }
  }

  async sendTest(event: { readonly id: string; readonly body: string }): Promise<DeliveryTry> {
    const result = await this.send(await this.requireReceiver(), { eventId: event.id, body: event.body });
    const test = { eventId: event.id, type: "webhook.test" as const, subjectId: this.webhookId, body: event.body };
    // The webhook's id is part of delivery ids, and no other call may have woken the object yet, so store it.
    this.store.putWebhookId(this.webhookId);
    this.store.recordTest(test, result.attempt, result.meaning.kind === "delivered");
    await this.ensureExpiry();
    return result.attempt;
  }

  /** Sends a delivery again. Its scheduled tries stay, unless this one succeeds. */
  async resend(id: string): Promise<Delivery | null> {
    const n = this.store.numberOf(id);
    const before = n === null ? null : this.store.message(n);
    if (n === null || before === null) {
      return null;
    }
    const result = await this.send(await this.requireReceiver(), before);
    const now = this.store.find(id);
    const message = this.store.message(n);
    if (now === null || message === null) {
      return null;
    }
    const isSuccess = result.meaning.kind === "delivered";
    this.store.recordTry(n, result.attempt, {
      status: isSuccess ? "delivered" : now.status,
      failures: message.failures,
      nextTryAt: isSuccess ? null : now.nextTryAt,
      isSuccess,
      isFirstFailure: false,
    });
    if (result.meaning.kind === "gone") {
      await this.disable("gone");
    }
    return this.store.find(id);
  }

  async replay(afterSeq: number): Promise<{ readonly queued: number }> {
    const { seq } = this.store.state();
    const after = Math.max(0, afterSeq);
    if (after >= seq) {
      return { queued: 0 };
    }
    const queued = await countEventsBetween(this.services.db, { webhookId: this.webhookId, after, upTo: seq });
    this.store.putCursor({ seq: Math.min(after, this.store.state().seq), isEvent: false, checkedTo: 0 });
    await this.wake();
    return { queued };
  }

  /** Deletes everything that the object stores, because the webhook is deleted. */
  async forget(): Promise<null> {
    this.receiver = null;
    this.waiting = [];
    await this.storage.deleteAlarm();
    await this.storage.deleteAll();
    this.store.forget();
    return null;
  }

  erase(subjectIds: readonly string[]): void {
    this.store.erase(subjectIds);
    const left = new Set(this.store.waitingFirstTries().map(({ n }) => n));
    this.waiting = this.waiting.filter(({ n }) => left.has(n));
  }

  private async requireReceiver(): Promise<Receiver> {
    const receiver = await findReceiver(this.services, this.webhookId);
    if (receiver === null) {
      throw new Error("the webhook does not exist");
    }
    return receiver;
  }

  /** Sets an alarm that later deletes a delivery which was stored outside a run. */
  private async ensureExpiry(): Promise<void> {
    if ((await this.storage.getAlarm()) === null && this.alarmStartedAt === null) {
      await this.storage.setAlarm(this.now() + KEEP_DELIVERIES_MS);
    }
  }

  private now(): number {
    return this.services.clock.now();
  }

  /** A random number in [0, 1), for the jitter of a wait. */
  private random(): number {
    const [randomBits = 0] = new Uint32Array(this.services.ids.random(4).buffer);
    return randomBits / 2 ** 32;
  }
}
