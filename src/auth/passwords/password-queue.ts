import { MIN_SLOT_MS } from "./password-cost.ts";

const MAX_SLOT_MS = 2000;
const MAX_WAITING = 8;
/** More places, which strangers cannot take. */
const MAX_WAITING_KNOWN = 12;

/** Too many passwords wait in this isolate, so this one was neither counted nor checked. */
export class PasswordQueueFullError extends Error {
  override readonly name = "PasswordQueueFullError";
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super("too many passwords are waiting to be checked");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whose password waits; without a client, a stranger's. */
export interface QueueClient {
  readonly isKnown: boolean;
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
 * Spaces the password hashes of an isolate, because workerd computes scrypt on the isolate's thread and no other request runs meanwhile.
 * Each hash gets a slot of at least twice its duration. The queue stores start times, not a counter: if a client gives up, its request
 * never runs `finally`, and a counter would never go down again.
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

  /** Call it before an attempt is counted. Throws PasswordQueueFullError. */
  assertNotFull(client?: QueueClient): void {
    const now = this.#timer.now();
    this.#waitingStarts = this.#waitingStarts.filter((startAt) => startAt > now);
    if (this.#waitingStarts.length >= (client?.isKnown === true ? MAX_WAITING_KNOWN : MAX_WAITING)) {
      throw new PasswordQueueFullError(Math.ceil((this.#nextStartAt - now) / 1000));
    }
  }

  /** Computes the hash when its turn comes, or throws PasswordQueueFullError. */
  async run<T>(derive: () => Promise<T>, client?: QueueClient): Promise<T> {
    this.assertNotFull(client);
    const now = this.#timer.now();
    const startAt = Math.max(now, this.#nextStartAt);
    this.#nextStartAt = startAt + this.#slotMs;
    if (startAt > now) {
      this.#waitingStarts.push(startAt);
      await this.#timer.sleep(startAt - now);
    }
    const startedAt = this.#timer.now();
    const derived = await derive();
    // The clock of workerd stands still while code runs, so the duration is visible only after an event.
    await this.#timer.sleep(0);
    this.#slotMs = Math.min(MAX_SLOT_MS, Math.max(this.#minSlotMs, 2 * (this.#timer.now() - startedAt)));
    return derived;
  }
}

/** The queue of this isolate. */
export const passwordQueue = new PasswordQueue();
