import { MIN_SLOT_MS } from "./password-cost.ts";

const MAX_SLOT_MS = 2000;
const MAX_WAITING = 8;
/** How many more passwords of known clients may wait. Strangers cannot take these places. */
const MAX_WAITING_KNOWN = 12;
/** For how long the places that a client took count against it. */
const USES_PERIOD_MS = 10 * 60_000;

/** Thrown if too many passwords wait in this isolate, so that this one was not checked. */
export class PasswordQueueFullError extends Error {
  override readonly name = "PasswordQueueFullError";
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super("too many passwords are waiting to be checked");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whose password waits for its hash. All requests without a client, such as sign-ups, count as one stranger. */
export interface QueueClient {
  readonly id: string;
  readonly isKnown: boolean;
}

const STRANGER: QueueClient = { id: "", isKnown: false };

interface Waiting {
  readonly client: QueueClient;
  readonly startAt: number;
  /**
   * True if another client has taken the place. The waiting request reads it when it wakes, because no other request
   * can wake it.
   */
  lostPlace: boolean;
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
 * Spaces the password hashes of an isolate, because workerd runs no other request during one. Each hash gets a slot of
 * at least twice its duration. If the queue is full, a client without a place takes one from the client that took the
 * most lately, so that neither one client nor many that try again and again keep others out. The queue stores start times and no counter, because a request that its client gives
 * up never runs `finally`.
 */
export class PasswordQueue {
  readonly #timer: Timer;
  readonly #minSlotMs: number;
  #slotMs: number;
  #nextStartAt = 0;
  #waiting: Waiting[] = [];
  /** How many places each client took in this period. */
  #uses = new Map<string, number>();
  #usesEndAt = 0;

  constructor(timer: Timer = systemTimer, minSlotMs: number = MIN_SLOT_MS) {
    this.#timer = timer;
    this.#minSlotMs = minSlotMs;
    this.#slotMs = minSlotMs;
  }

  /** Refuses with PasswordQueueFullError if no place is free. Callers use it before they count an attempt. */
  assertNotFull(client: QueueClient = STRANGER): void {
    if (this.#isFullFor(client) && this.#placeToTake(client) === undefined) {
      throw this.#fullError();
    }
  }

  /** Waits for its turn and computes the hash, or throws PasswordQueueFullError. */
  async run<T>(derive: () => Promise<T>, client: QueueClient = STRANGER): Promise<T> {
    const startAt = this.#takeStart(client);
    const now = this.#timer.now();
    if (startAt > now) {
      const waiting = { client, startAt, lostPlace: false };
      this.#waiting.push(waiting);
      await this.#timer.sleep(startAt - now);
      if (waiting.lostPlace) {
        throw this.#fullError();
      }
    }
    const startedAt = this.#timer.now();
    const derived = await derive();
    // The clock of workerd stands still while code runs. After this wait, the clock shows how long the hash took.
    await this.#timer.sleep(0);
    this.#slotMs = Math.min(MAX_SLOT_MS, Math.max(this.#minSlotMs, 2 * (this.#timer.now() - startedAt)));
    return derived;
  }

  /** Reserves the time at which a client's hash starts: the next free slot, or a slot of another client. */
  #takeStart(client: QueueClient): number {
    this.assertNotFull(client);
    const taken = this.#isFullFor(client) ? this.#placeToTake(client) : undefined;
    this.#countUse(client);
    if (taken === undefined) {
      const startAt = Math.max(this.#timer.now(), this.#nextStartAt);
      this.#nextStartAt = startAt + this.#slotMs;
      return startAt;
    }
    taken.lostPlace = true;
    this.#waiting = this.#waiting.filter((waiting) => waiting !== taken);
    return taken.startAt;
  }

  #isFullFor({ isKnown }: QueueClient): boolean {
    const now = this.#timer.now();
    this.#waiting = this.#waiting.filter(({ startAt }) => startAt > now);
    return this.#waiting.length >= (isKnown ? MAX_WAITING_KNOWN : MAX_WAITING);
  }

  /**
   * The last place of the client that took the most. Undefined if nobody took two more than this client, or if this
   * client already waits.
   */
  #placeToTake({ id, isKnown }: QueueClient): Waiting | undefined {
    // mutant: full-for-newcomers
    if (this.#waiting.some(({ client }) => client.id === id)) {
      return undefined;
    }
    const uses = this.#usesOf(id);
    const [most] = this.#waiting
      .filter(({ client }) => (isKnown || !client.isKnown) && this.#usesOf(client.id) > uses + 1)
      .toSorted((a, b) => this.#usesOf(b.client.id) - this.#usesOf(a.client.id) || b.startAt - a.startAt);
    return most;
  }

  #countUse({ id }: QueueClient): void {
    const now = this.#timer.now();
    if (now >= this.#usesEndAt) {
      this.#uses.clear();
      this.#usesEndAt = now + USES_PERIOD_MS;
    }
    this.#uses.set(id, this.#usesOf(id) + 1);
  }

  #usesOf(id: string): number {
    // mutant: uses-forgotten
    return this.#uses.get(id) ?? 0;
  }

  #fullError(): PasswordQueueFullError {
    return new PasswordQueueFullError(Math.max(1, Math.ceil((this.#nextStartAt - this.#timer.now()) / 1000)));
  }
}

export const passwordQueue = new PasswordQueue();
