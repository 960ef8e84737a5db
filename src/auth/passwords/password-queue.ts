import { MIN_SLOT_MS } from "./password-cost.ts";

const MAX_SLOT_MS = 2000;
const MAX_WAITING = 8;
/** More places, which strangers cannot take. */
const MAX_WAITING_KNOWN = 12;

/** Too many passwords wait in this isolate, so this one was not checked. */
export class PasswordQueueFullError extends Error {
  override readonly name = "PasswordQueueFullError";
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super("too many passwords are waiting to be checked");
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Whose password waits. Requests without a client, such as sign-ups, are one stranger. */
export interface QueueClient {
  readonly id: string;
  readonly isKnown: boolean;
}

const STRANGER: QueueClient = { id: "", isKnown: false };

interface Waiting {
  readonly client: QueueClient;
  readonly startAt: number;
  /** Another client has its place. It learns this when it wakes, because a request cannot wake another one. */
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
 * Spaces the password hashes of an isolate, because workerd computes scrypt on the isolate's thread and no other request runs meanwhile.
 * Each hash gets a slot of at least twice its duration. A client with nothing in a full queue takes a place of the one with the most, so that
 * nobody alone can keep others out. The queue stores start times, not a counter: if a client gives up, its request never runs `finally`, and
 * a counter would never go down again.
 */
export class PasswordQueue {
  readonly #timer: Timer;
  readonly #minSlotMs: number;
  #slotMs: number;
  #nextStartAt = 0;
  #waiting: Waiting[] = [];

  constructor(timer: Timer = systemTimer, minSlotMs: number = MIN_SLOT_MS) {
    this.#timer = timer;
    this.#minSlotMs = minSlotMs;
    this.#slotMs = minSlotMs;
  }

  /** Call it before an attempt is counted. Throws PasswordQueueFullError. */
  assertNotFull(client: QueueClient = STRANGER): void {
    if (this.#isFullFor(client) && this.#placeToTake(client) === undefined) {
      throw this.#fullError();
    }
  }

  /** Computes the hash when its turn comes, or throws PasswordQueueFullError. */
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
    // The clock of workerd stands still while code runs, so the duration is visible only after an event.
    await this.#timer.sleep(0);
    this.#slotMs = Math.min(MAX_SLOT_MS, Math.max(this.#minSlotMs, 2 * (this.#timer.now() - startedAt)));
    return derived;
  }

  /** When the hash of a client starts: in the next free slot, or in that of another client. */
  #takeStart(client: QueueClient): number {
    this.assertNotFull(client);
    const taken = this.#isFullFor(client) ? this.#placeToTake(client) : undefined;
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

  /** The last place of the client that has the most; undefined if nobody has two, or this client waits already. */
  #placeToTake({ id, isKnown }: QueueClient): Waiting | undefined {
    const byClient = Map.groupBy(this.#waiting, (waiting) => waiting.client.id);
    // mutant: full-for-newcomers
    if (byClient.has(id)) {
      return undefined;
    }
    const [most = []] = [...byClient.values()]
      .filter(([first, ...more]) => more.length > 0 && (isKnown || first?.client.isKnown === false))
      .toSorted((a, b) => b.length - a.length);
    return most.toSorted((a, b) => b.startAt - a.startAt)[0];
  }

  #fullError(): PasswordQueueFullError {
    return new PasswordQueueFullError(Math.max(1, Math.ceil((this.#nextStartAt - this.#timer.now()) / 1000)));
  }
}

export const passwordQueue = new PasswordQueue();
