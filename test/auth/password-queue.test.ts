import { afterEach, describe, test, vi } from "vitest";
import { createUser, signIn } from "#auth/index.ts";
import { PasswordQueue, passwordQueue, PasswordQueueFullError } from "#auth/passwords/password-queue.ts";
import { BrowserClient, createServiceFixture, signInNewUser } from "./service-fixture.ts";
import { STRANGER } from "./test-context.ts";

/** Time that moves only by `sleep`, in the order in which the sleepers wake. */
class ManualTimer {
  #now = 1000;
  #sleepers: { at: number; wake: () => void }[] = [];

  now = (): number => this.#now;

  sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      this.#sleepers.push({ at: this.#now + ms, wake });
    });

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await flushMicrotasks();
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) {
        break;
      }
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
  }

  /** What a derivation does: the isolate stands still meanwhile. */
  block(ms: number): void {
    this.#now += ms;
  }
}

async function flushMicrotasks(): Promise<void> {
  for (let count = 0; count < 10; count++) {
    await Promise.resolve();
  }
}

const SLOT_MS = 250;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the queue of key derivations", () => {
  test("one runs at once, eight wait for their slots, the tenth is refused and told when to come back", async ({
    expect,
  }) => {
    const timer = new ManualTimer();
    const queue = new PasswordQueue(timer, SLOT_MS);
    const starts: number[] = [];
    const run = () => queue.run(() => Promise.resolve(starts.push(timer.now())));
    const admitted = Array.from({ length: 9 }, run);
    await expect(run()).rejects.toMatchObject({ name: "PasswordQueueFullError", retryAfterSeconds: 3 });
    await timer.advance(10_000);
    await Promise.all(admitted);
    expect(starts).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8].map((slot) => 1000 + slot * SLOT_MS));
    expect(() => queue.assertNotFull()).not.toThrow();
  });

  test("four more places are for clients that have proved the password before", async ({ expect }) => {
    const timer = new ManualTimer();
    const queue = new PasswordQueue(timer, SLOT_MS);
    const run = (isKnown: boolean) => queue.run(() => Promise.resolve(timer.now()), { id: String(isKnown), isKnown });
    const admitted = Array.from({ length: 9 }, () => run(false));
    await expect(run(false)).rejects.toMatchObject({ name: "PasswordQueueFullError" });
    const known = Array.from({ length: 4 }, () => run(true));
    await expect(run(true)).rejects.toMatchObject({ name: "PasswordQueueFullError" });
    await timer.advance(10_000);
    expect(await Promise.all([...admitted, ...known])).toHaveLength(13);
  });

  test("a client with nothing in a full queue takes the last place of the one with the most, which learns it at its turn", async ({
    expect,
  }) => {
    const timer = new ManualTimer();
    const queue = new PasswordQueue(timer, SLOT_MS);
    const starts: string[] = [];
    const run = (id: string, isKnown = false) =>
      queue.run(() => Promise.resolve(starts.push(`${id} ${timer.now()}`)), { id, isKnown });
    const flood = Array.from({ length: 9 }, () => run("flood"));
    const results = Promise.allSettled(flood);
    const newcomers = [run("a"), run("b")];
    await expect(run("a")).rejects.toMatchObject({ name: "PasswordQueueFullError" });
    await expect(run("flood")).rejects.toMatchObject({ name: "PasswordQueueFullError" });
    await timer.advance(10_000);
    await Promise.all(newcomers);
    expect((await results).map(({ status }) => status)).toEqual([
      ...Array(7).fill("fulfilled"),
      "rejected",
      "rejected",
    ]);
    expect(starts.slice(-2)).toEqual([`b ${1000 + 7 * SLOT_MS}`, `a ${1000 + 8 * SLOT_MS}`]);
  });

  test("eight strangers with one place each keep theirs, and a stranger takes no place of a known browser", async ({
    expect,
  }) => {
    const run = (queue: PasswordQueue, id: string, isKnown = false) =>
      queue.run(() => Promise.resolve(), { id, isKnown });
    const many = new PasswordQueue(new ManualTimer(), SLOT_MS);
    for (let count = 0; count < 9; count++) {
      void run(many, String(count));
    }
    await expect(run(many, "newcomer")).rejects.toMatchObject({ name: "PasswordQueueFullError" });
    const known = new PasswordQueue(new ManualTimer(), SLOT_MS);
    for (let count = 0; count < 9; count++) {
      void run(known, "browser", true);
    }
    await expect(run(known, "newcomer")).rejects.toMatchObject({ name: "PasswordQueueFullError" });
  });

  test("forty strangers who try again and again keep nobody out for longer than the queue is long", async ({
    expect,
  }) => {
    const timer = new ManualTimer();
    const queue = new PasswordQueue(timer, SLOT_MS);
    const run = (id: string) => queue.run(() => Promise.resolve(timer.now()), { id, isKnown: false });
    const flood = () => {
      for (let count = 0; count < 40; count++) {
        run(`stranger ${count}`).catch(() => null);
      }
    };
    // Each has taken two places by then.
    for (let slot = 0; slot < 2 * 40 + 16; slot++) {
      flood();
      await timer.advance(SLOT_MS);
    }
    for (const newcomer of ["a", "b", "c"]) {
      flood();
      const arrivedAt = timer.now();
      const answered = run(newcomer);
      answered.catch(() => null);
      for (let slot = 0; slot < 10; slot++) {
        await timer.advance(SLOT_MS);
        flood();
      }
      expect((await answered) - arrivedAt, newcomer).toBeLessThanOrEqual(9 * SLOT_MS);
    }
  });

  test("what a client took counts for ten minutes", async ({ expect }) => {
    const timer = new ManualTimer();
    const queue = new PasswordQueue(timer, SLOT_MS);
    const run = (id: string) => queue.run(() => Promise.resolve(), { id, isKnown: false });
    const early = [run("busy"), run("busy")];
    await timer.advance(10 * 60_000);
    await Promise.all(early);
    const waiting = [...Array.from({ length: 8 }, (_, count) => String(count)), "busy"].map(run);
    await expect(run("newcomer")).rejects.toMatchObject({ name: "PasswordQueueFullError" });
    await timer.advance(10_000);
    await Promise.all(waiting);
  });

  test("slow derivations get longer slots, so that they never use more than half of the time", async ({ expect }) => {
    const timer = new ManualTimer();
    const queue = new PasswordQueue(timer, SLOT_MS);
    const starts: number[] = [];
    const run = () =>
      queue.run(() => {
        starts.push(timer.now());
        timer.block(400);
        return Promise.resolve();
      });
    const first = run();
    await timer.advance(1000);
    await first;
    const more = [run(), run(), run()];
    await timer.advance(5000);
    await Promise.all(more);
    const [, ...later] = starts;
    expect(later.slice(1).map((start, index) => start - (later[index] ?? 0))).toEqual([800, 800]);
  });

  test("a request that was given up while it waited frees its place by itself", async ({ expect }) => {
    const timer = new ManualTimer();
    // Like a cancelled request: what comes after the wait never runs.
    const queue = new PasswordQueue({ now: timer.now, sleep: () => new Promise(() => {}) }, SLOT_MS);
    for (let count = 0; count < 9; count++) {
      void queue.run(() => Promise.resolve());
    }
    expect(() => queue.assertNotFull()).toThrow(PasswordQueueFullError);
    await timer.advance(2000);
    expect(() => queue.assertNotFull()).not.toThrow();
  });

  test("a failed derivation does not keep its slot", async ({ expect }) => {
    const queue = new PasswordQueue(new ManualTimer(), SLOT_MS);
    await expect(queue.run(() => Promise.reject(new Error("no memory")))).rejects.toThrow("no memory");
    expect(() => queue.assertNotFull()).not.toThrow();
  });
});

describe("503", () => {
  const service = createServiceFixture();
  const PASSWORD = "correct horse battery staple";
  const fillQueue = () => {
    const full = new PasswordQueueFullError(3);
    vi.spyOn(passwordQueue, "assertNotFull").mockImplementation(() => {
      throw full;
    });
  };

  test("a full queue answers a sign-in with a page and Retry-After, and counts nothing", async ({ expect }) => {
    const email = `${crypto.randomUUID()}@example.com`;
    await createUser(service.services, { email, password: PASSWORD, plan: "growth" });
    fillQueue();
    for (let count = 0; count < 12; count++) {
      const response = await new BrowserClient(service).post("/login", { email, password: PASSWORD });
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "3"]);
      expect(await response.text()).toContain("<h1>Please try again</h1>");
    }
    vi.restoreAllMocks();
    expect(await signIn(service.services, { client: STRANGER, email, password: PASSWORD })).not.toBeNull();
  });

  test("a full queue refuses a sign-up before anything is written", async ({ expect }) => {
    fillQueue();
    const email = `${crypto.randomUUID()}@example.com`;
    const form = { email, password: PASSWORD, plan: "growth", time_zone: "UTC" };
    expect((await new BrowserClient(service).post("/signup", form)).status).toBe(503);
    vi.restoreAllMocks();
    expect((await new BrowserClient(service).post("/signup", form)).status).toBe(303);
  });

  test("the rest of the service does not wait for the queue", async ({ expect }) => {
    const { browser } = await signInNewUser(service);
    fillQueue();
    expect((await browser.get("/dashboard/keys")).status).toBe(200);
    expect((await browser.post("/dashboard/keys", { name: "k", scope: "posts:read" })).status).toBe(200);
  });
});
