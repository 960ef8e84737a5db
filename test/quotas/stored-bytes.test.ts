import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { confirmBulk, previewBulk } from "#confirming/index.ts";
import { MINUTE } from "#core/clock.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { BulkPlan } from "#planning/plan/post-plan.ts";
import { storedBytesOf } from "#planning/plan/stored-bytes.ts";
import { annotatePost } from "#post-status/index.ts";
import type { Annotations } from "#posts/rows/types.ts";
import { annotationsBytes } from "#posts/rows/stored-bytes.ts";
import { TARGETS_MAX } from "#wire/schemas/post-input.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { createAccount, createTestContext, oneHourAhead } from "../posts/test-context.ts";

/* A limit in bytes holds only if no plan stores more than it counts, measured by the size of the database. */

const adapters = Object.fromEntries(
  PLATFORMS.map((platform) => [platform, scriptedAdapter(platform, { captionMax: 20_000 })]),
);

async function databaseSize(): Promise<number> {
  const { meta } = await env.DB.prepare("SELECT 1").run();
  return meta.size_after;
}

async function createPerson(accounts: number) {
  const ctx = createTestContext({ adapters });
  await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Mine', 1)")
    .bind(ctx.actor.workspaceId, ctx.actor.userId)
    .run();
  const accountIds: string[] = [];
  for (let index = 0; index < accounts; index += 1) {
    accountIds.push(await createAccount(ctx, PLATFORMS[index % PLATFORMS.length]));
  }
  return { ctx, accountIds };
}

/** Posts of this text of two bytes a character, or with a text of that length for each account. */
async function store(posts: number, accounts: number, characters: number, text: "shared" | "own") {
  const { ctx, accountIds } = await createPerson(accounts);
  let plan: BulkPlan | undefined;
  const tokens: typeof ctx.tokens = {
    get: ctx.tokens.get.bind(ctx.tokens),
    put: async (key, value, options) => {
      plan = JSON.parse(value as string) as BulkPlan;
      await ctx.tokens.put(key, value, options);
    },
  };
  const rows = Array.from({ length: posts }, (_, index) => {
    const caption = `${index} ${"я".repeat(characters)}`;
    return {
      row: index + 1,
      problems: [],
      input: {
        caption,
        scheduledAt: oneHourAhead(ctx) + index * MINUTE,
        ...(text === "shared"
          ? { accountIds }
          : { targets: accountIds.map((accountId, at) => ({ accountId, caption: `${at} ${caption}` })) }),
      },
    };
  });
  const { confirmation } = await previewBulk({ ...ctx, tokens }, { posts: rows, skipInvalid: false });
  const before = await databaseSize();
  await confirmBulk(ctx, { confirmationToken: confirmation?.confirmationToken ?? "" });
  await ctx.waitForDeferred();
  return { stored: (await databaseSize()) - before, counted: plan ? storedBytesOf(plan) : 0 };
}

describe("a plan counts what it stores", () => {
  test.for([
    [100, 1, 25, "shared"],
    [100, 1, 400, "shared"],
    [100, 1, 1500, "shared"],
    [100, 5, 25, "shared"],
    [100, 5, 250, "shared"],
    [60, 5, 450, "shared"],
    [60, 5, 450, "own"],
    [60, 5, 3500, "shared"],
    [20, TARGETS_MAX, 25, "shared"],
    [20, TARGETS_MAX, 25, "own"],
    [20, TARGETS_MAX, 550, "shared"],
  ] as const)("%i posts for %i accounts of %i characters, %s", async ([posts, accounts, characters, text]) => {
    const { stored, counted } = await store(posts, accounts, characters, text);
    expect(stored).toBeGreaterThan(0);
    expect(stored, `${Math.round(stored / posts)} of ${Math.round(counted / posts)} bytes a post`).toBeLessThanOrEqual(
      counted,
    );
    expect(counted, "not far more than is stored").toBeLessThan(3 * stored);
  });
});

test.each(["short", "long"] as const)("%s annotations count what they store", async (kind) => {
  const annotations: Annotations = {
    externalId: "я".repeat(kind === "short" ? 5 : 255),
    metadata:
      kind === "short" ? {} : Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`${at}`, "я".repeat(500)])),
    labels: Array.from({ length: kind === "short" ? 2 : 10 }, (_, at) => `${at} ${"я".repeat(30)}`),
    notes: "я".repeat(kind === "short" ? 30 : 2000),
  };
  const { ctx, accountIds } = await createPerson(1);
  const rows = Array.from({ length: 100 }, (_, index) => ({
    row: index + 1,
    problems: [],
    input: { caption: `${index}`, scheduledAt: oneHourAhead(ctx) + index * MINUTE, accountIds },
  }));
  const { confirmation } = await previewBulk(ctx, { posts: rows, skipInvalid: false });
  const { posts } = await confirmBulk(ctx, { confirmationToken: confirmation?.confirmationToken ?? "" });
  await ctx.waitForDeferred();
  const before = await databaseSize();
  for (const { id } of posts) {
    await annotatePost(ctx, { id, annotations });
  }
  expect((await databaseSize()) - before).toBeLessThanOrEqual(posts.length * annotationsBytes(annotations));
});
