import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Context } from "#context.ts";
import type { KeptPlansApi } from "#core/arming.ts";
import { DAY, SECOND } from "#core/clock.ts";
import { fromBase64Url, toBase64Url } from "#core/encoding.ts";
import { RefusalError } from "#core/errors.ts";
import {
  confirmBulk,
  confirmEdit,
  confirmPreview,
  confirmSchedule,
  previewBulk,
  previewEdit,
  previewSchedule,
} from "#confirming/index.ts";
import { issueToken, makeToken, openToken } from "#confirming/token/confirmation-token.ts";
import { KeptPlans } from "#publisher/kept-plans.ts";
import { SlowKv } from "#sandbox/slow-kv.ts";
import { createParties } from "../approvals/approval-context.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  oneHourAhead,
  refusalOf,
  refusalsIn,
  schedulePost,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

const NEVER = () => DAY;

/** What the object of the user knows of a preview. */
type ObjectState = "in memory" | "restarted" | "unreachable";

/** The same caller at two locations. A key of KV that is written here is visible there after `delayMs`. */
function atTwoLocations(ctx: TestContext, delayMs: () => number, object: ObjectState) {
  const kv = new SlowKv(env.TOKENS, delayMs, () => ctx.clock.now());
  const [here, there] = [kv.at("here"), kv.at("there")];
  const plans = ctx.keptPlans(ctx.actor.userId);
  const read: Readonly<Record<ObjectState, KeptPlansApi["keptPlan"]>> = {
    "in memory": (key) => plans.keptPlan(key),
    restarted: (key) => here.get(key),
    unreachable: () => Promise.reject(new Error("Durable Object is overloaded")),
  };
  return {
    kv,
    here: { ...ctx, tokens: here },
    there: { ...ctx, tokens: there, keptPlans: () => ({ ...plans, keptPlan: read[object] }) },
  };
}

interface Repeated<T> {
  readonly result: T;
  readonly calls: number;
}

/** Confirms like a client that sends the same call again after the time that the refusal names. */
async function repeatedly<T>(confirm: () => Promise<T>): Promise<Repeated<T>> {
  for (let calls = 1; ; calls += 1) {
    try {
      return { result: await confirm(), calls };
    } catch (error) {
      if (!(error instanceof RefusalError) || error.refusal.code !== "token_not_visible_yet") {
        throw error;
      }
      vi.setSystemTime(Date.now() + (error.refusal.retryAfterSeconds ?? Number.NaN) * SECOND);
    }
  }
}

async function previewOne(ctx: Context, accountId: string, minutes = 0): Promise<string> {
  const scheduledAt = oneHourAhead(ctx) + minutes * 60 * SECOND;
  return (await previewSchedule(ctx, { caption: "Hello", scheduledAt, accountIds: [accountId] })).confirmationToken;
}

const countPosts = ({ actor }: Context) =>
  env.DB.prepare("SELECT count(*) AS n FROM posts WHERE user_id = ?").bind(actor.userId).first<number>("n");

/** Previews with one context, and confirms with the other one in a way that a repeated call could double. */
const KINDS: Readonly<Record<string, (here: Context, there: Context) => Promise<Repeated<unknown>>>> = {
  async "a new post"(here, there) {
    const confirmationToken = await previewOne(here, await createAccount(here));
    return await repeatedly(() => confirmSchedule(there, { confirmationToken }));
  },
  async "an edit"(here, there) {
    const post = await schedulePost(here as TestContext, { accountIds: [await createAccount(here)] });
    const { confirmationToken } = await previewEdit(here, { postIds: [post.id], caption: "Changed" });
    const repeated = await repeatedly(() => confirmEdit(there, { confirmationToken }));
    expect(repeated.result.posts).toMatchObject([{ id: post.id, version: 2, caption: "Changed" }]);
    return repeated;
  },
  async "many posts"(here, there) {
    const accountIds = [await createAccount(here)];
    const input = (minute: number) => ({
      row: minute,
      problems: [],
      input: { caption: `Hello ${minute}`, scheduledAt: oneHourAhead(here) + minute * 60 * SECOND, accountIds },
    });
    const { confirmation } = await previewBulk(here, { posts: [input(1)], skipInvalid: false });
    const confirmationToken = confirmation?.confirmationToken ?? "";
    return await repeatedly(() => confirmBulk(there, { confirmationToken }));
  },
};

describe.each(Object.keys(KINDS))("%s, confirmed where KV does not show its token", (name) => {
  const run = (here: Context, there: Context) => KINDS[name]?.(here, there);

  test.for(["in memory", "restarted"] as const)("is written at the first try with its object %s", async (object) => {
    const { here, there, kv } = atTwoLocations(createTestContext(), NEVER, object);
    expect(await run(here, there)).toMatchObject({ calls: 1 });
    expect(kv.misses).toBe(1);
    expect(await countPosts(here)).toBe(1);
  });

  test("is written once by repeating, when its object cannot be reached either", async () => {
    const startedAt = Date.now();
    const { here, there } = atTwoLocations(createTestContext(), () => 60 * SECOND, "unreachable");
    const repeated = await run(here, there);
    expect(repeated?.calls).toBeGreaterThan(1);
    expect(repeated?.calls).toBeLessThan(20);
    expect(Date.now() - startedAt).toBeLessThanOrEqual(90 * SECOND);
    expect(await countPosts(here)).toBe(1);
  });
});

describe("a confirm that a person must approve", () => {
  test.for(["in memory", "restarted", "unreachable"] as const)(
    "is requested once where KV does not show its token, with its object %s",
    async (object) => {
      const { agent } = await createParties();
      const { here, there } = atTwoLocations(agent, () => 60 * SECOND, object);
      const confirmationToken = await previewOne(here, await createAccount(here));
      const confirm = () => confirmPreview(there, { confirmationToken });
      const requested = await refusalOf(repeatedly(confirm));
      expect(requested).toMatchObject({ code: "approval_required" });
      expect((await refusalOf(confirm())).approval?.id).toBe(requested.approval?.id);
    },
  );
});

describe("at random delays of KV and of the confirm", () => {
  /** A KV without a runtime behind it, because a thousand calls of it take longer than all other tests here. */
  function kvInMemory(): Pick<KVNamespace, "getWithMetadata" | "put"> {
    const entries = new Map<string, { readonly value: string; readonly metadata: unknown }>();
    return {
      put: (key: string, value: string, { metadata }: KVNamespacePutOptions = {}) => {
        entries.set(key, { value, metadata });
        return Promise.resolve();
      },
      getWithMetadata: (key: string) => Promise.resolve(entries.get(key) ?? { value: null, metadata: null }),
    } as unknown as Pick<KVNamespace, "getWithMetadata" | "put">;
  }

  test("1,000 tokens are opened elsewhere within 5 s of their preview", async () => {
    const ctx = createTestContext();
    const kept = new KeptPlans();
    const kv = new SlowKv(kvInMemory(), () => Math.random() * 90 * SECOND, Date.now);
    const keptPlans = (): KeptPlansApi => ({
      keepPlan: (key, plan) => Promise.resolve(kept.keep(key, plan, Date.now())),
      // One in ten calls finds an object that was restarted.
      keptPlan: (key) => (Math.random() < 0.1 ? kv.at("here").get(key) : Promise.resolve(kept.find(key))),
    });
    const at = (location: string) => ({ ...ctx, tokens: kv.at(location), keptPlans });
    const [here, there] = [at("here"), at("there")];
    const request = { postIds: [] };
    const plan = { kind: "edit", dependencies: { accountIds: [], mediaIds: [] }, posts: [], request } as const;
    for (let turn = 0; turn < 1000; turn += 1) {
      const previewedAt = Date.now();
      const key = await makeToken(here, previewedAt);
      await issueToken(here, key, previewedAt, plan);
      vi.setSystemTime(previewedAt + Math.random() * 5 * SECOND);
      expect(await openToken(there, key, ["edit"])).toMatchObject({ kind: "edit", issuedAt: previewedAt });
    }
    expect(kv.misses).toBeGreaterThan(800);
  });

  test("confirms of one token at both locations at once make one post", async () => {
    for (const object of ["in memory", "restarted", "unreachable"] as const) {
      const { here, there } = atTwoLocations(createTestContext(), () => 60 * SECOND, object);
      const confirmationToken = await previewOne(here, await createAccount(here));
      const confirms = Array.from({ length: 8 }, (_, index) =>
        confirmSchedule(index % 2 === 0 ? here : there, { confirmationToken }),
      );
      const results = await Promise.allSettled(confirms);
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const { code } of refusalsIn(results)) {
        expect(["token_already_used", ...(object === "unreachable" ? ["token_not_visible_yet"] : [])]).toContain(code);
      }
      expect(await refusalOf(confirmSchedule(there, { confirmationToken }))).toMatchObject({
        code: "token_already_used",
      });
      expect(await countPosts(here)).toBe(1);
    }
  });
});

describe("the wait", () => {
  test("is a second at first, then a quarter of the token's age, and ends 90 s after the preview", async () => {
    const { here, there } = atTwoLocations(createTestContext(), NEVER, "unreachable");
    const confirmationToken = await previewOne(here, await createAccount(here));
    const previewedAt = Date.now();
    const refusalAfter = async (ms: number) => {
      vi.setSystemTime(previewedAt + ms);
      return await refusalOf(confirmSchedule(there, { confirmationToken }));
    };
    expect(await refusalAfter(0)).toMatchObject({
      code: "token_not_visible_yet",
      param: "confirmation_token",
      retryAfterSeconds: 1,
    });
    expect(await refusalAfter(40 * SECOND)).toMatchObject({ code: "token_not_visible_yet", retryAfterSeconds: 10 });
    expect(await refusalAfter(90 * SECOND)).toMatchObject({ code: "token_not_visible_yet" });
    expect(await refusalAfter(90 * SECOND + 1)).toMatchObject({ code: "invalid_confirmation_token" });
  });

  test("is the same where the clock is some seconds behind", async () => {
    const { here, there } = atTwoLocations(createTestContext(), NEVER, "unreachable");
    const confirmationToken = await previewOne(here, await createAccount(here));
    vi.setSystemTime(Date.now() - 4 * SECOND);
    expect(await refusalOf(confirmSchedule(there, { confirmationToken }))).toMatchObject({
      code: "token_not_visible_yet",
      retryAfterSeconds: 1,
    });
  });
});

describe("a token that nobody was given is refused at once, wherever KV is read", () => {
  test.for([
    // The last byte of the time, so that the token stays young.
    ["with another time", 5],
    ["with other random bytes", 6],
    ["with another signature", 31],
  ] as const)("%s", async ([, changed]) => {
    const { here, there } = atTwoLocations(createTestContext(), NEVER, "unreachable");
    const bytes = fromBase64Url(await previewOne(here, await createAccount(here)));
    bytes[changed] = (bytes[changed] ?? 0) ^ 1;
    const confirmationToken = toBase64Url(bytes);
    expect(await refusalOf(confirmSchedule(there, { confirmationToken }))).toMatchObject({
      code: "invalid_confirmation_token",
    });
  });

  test("to another user", async () => {
    const { here } = atTwoLocations(createTestContext(), NEVER, "in memory");
    const { there } = atTwoLocations(createTestContext(), NEVER, "in memory");
    const confirmationToken = await previewOne(here, await createAccount(here));
    expect(await refusalOf(confirmSchedule(there, { confirmationToken }))).toMatchObject({
      code: "invalid_confirmation_token",
    });
  });

  test("in another workspace, or for the other kind of confirm", async () => {
    const { here, there } = atTwoLocations(createTestContext(), NEVER, "in memory");
    const confirmationToken = await previewOne(here, await createAccount(here));
    const elsewhere = { ...there, actor: { ...there.actor, workspaceId: crypto.randomUUID() } };
    for (const confirm of [
      confirmSchedule(elsewhere, { confirmationToken }),
      confirmEdit(there, { confirmationToken }),
    ]) {
      expect(await refusalOf(confirm)).toMatchObject({ code: "invalid_confirmation_token" });
    }
  });
});
