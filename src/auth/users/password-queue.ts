import { MIN_SLOT_MS } from "./password-cost.ts";

const MAX_SLOT_MS = 2000;
const MAX_WAITING = 8;

/** Too many passwords are waiting to be checked in this isolate; nothing was counted or checked. */
export class PasswordQueueFullError extends Error {
  override readonly name = "PasswordQueueFullError";
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super("too many passwords are waiting to be checked");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Timer {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/**
 * Spaces the key derivations of an isolate, because workerd computes scrypt on the thread of the isolate and every other request
 * stands still meanwhile. Each derivation has a slot of at least twice its duration. The queue consists of start times, not of
 * a counter: a request that the client gave up never runs its `finally`, and would keep its place in a counter for ever.
 */
export class PasswordQueue {
  readonly #timer: Timer;
  readonly #minSlotMs: number;
  #slotMs: number;
  #nextStartAt = 0;
  #waitingStarts: number[] = [];

  constructor(timer: Timer = systemTimer, minSlotMs: number = MIN_SLOT_MS) {
    this.#timer = timer;
    this.#minSlotMs = minSlotMs;
    this.#slotMs = minSlotMs;
  }

  /** For use before an attempt is counted; throws PasswordQueueFullError. */
  assertNotFull(): void {
    const now = this.#timer.now();
    this.#waitingStarts = this.#waitingStarts.filter((startAt) => startAt > now);
    if (this.#waitingStarts.length >= MAX_WAITING) {
      throw new PasswordQueueFullError(Math.ceil((this.#nextStartAt - now) / 1000));
    }
  }

  /** Runs the derivation when its turn comes, or throws PasswordQueueFullError. */
  async run<T>(derive: () => Promise<T>): Promise<T> {
    this.assertNotFull();
    const now = this.#timer.now();
    const startAt = Math.max(now, this.#nextStartAt);
    this.#nextStartAt = startAt + this.#slotMs;
    if (startAt > now) {
      this.#waitingStarts.push(startAt);
      await this.#timer.sleep(startAt - now);
    }
    const startedAt = this.#timer.now();
    const derived = await derive();
    // Clocks of workerd stand still while code runs: the duration shows only after an event.
    await this.#timer.sleep(0);
    this.#slotMs = Math.min(MAX_SLOT_MS, Math.max(this.#minSlotMs, 2 * (this.#timer.now() - startedAt)));
    return derived;
  }
}

/** One for each isolate. */
export const passwordQueue = new PasswordQueue();
