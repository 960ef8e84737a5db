import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import { PLATFORMS } from "#core/platform.ts";
import { POST_STATUSES, POST_TYPES } from "#core/status.ts";
import { getPost, findPostText, listPosts, listPostTexts } from "#posts/index.ts";
import { STATUS_OF_STATE } from "#posts/rows/target-status.ts";
import { presentPost, presentPostSummary } from "#wire/schemas/post.ts";
import { POST_JSON } from "#wire/schemas/store-post-json.ts";
import { createTestContext, freezeClock, NOON, type TestContext } from "../posts/test-context.ts";

beforeEach(() => freezeClock());

/** Stored texts have no NUL and no unpaired surrogate: the service refuses both. */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 30 }).map((value) => value.replaceAll("\0", "")),
  fc.string({
    unit: fc.constantFrom(
      "\n",
      "\t",
      "\b",
      "\f",
      "\r",
      "\u0001",
      "\u001f",
      "\u007f",
      '"',
      "\\",
      "/",
      "\u2028",
      "é",
      "😀",
    ),
  }),
  fc.string({ unit: "grapheme", minLength: 130, maxLength: 160 }),
);
/** Around the present, where the status of a target changes, and anywhere. */
const time = fc.oneof(
  fc.constantFrom(-MINUTE - 1, -MINUTE, -1, 0, 1, SECOND, SECOND + 1, MINUTE).map((distance) => NOON + distance),
  fc.integer({ min: 0, max: Date.UTC(2300, 0) }),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 2 });
const size = optional(fc.integer({ min: 0, max: 10_000 }));

const attempt = fc.record({
  at: time,
  step: fc.constant("commit"),
  outcome: fc.constantFrom("uncertain", "accepted", "absent", "failed"),
  message: optional(text),
});

const threadOptions = fc.record({ thread: fc.array(fc.record({ caption: text }), { minLength: 1, maxLength: 3 }) });
const publicParts = fc.record({
  thread: fc.array(fc.record({ id: text, url: optional(text), at: fc.nat() }), { maxLength: 3 }),
});

const error = fc.record({
  code: fc.constantFrom("rejected", "rate_limited"),
  category: fc.constant("content"),
  message: text,
  platformCode: optional(text),
  retryable: fc.boolean(),
  whoMustAct: fc.constantFrom("user", "nobody"),
});

const target = fc.record({
  position: fc.nat(3),
  platform: fc.constantFrom(...PLATFORMS),
  username: text,
  caption: optional(text),
  effective_caption: text,
  options: fc.oneof(fc.dictionary(text, fc.jsonValue(), { maxKeys: 3 }), threadOptions),
  progress: optional(publicParts),
  state: fc.constantFrom(...Object.keys(STATUS_OF_STATE)),
  due_at: time,
  started_at: optional(time),
  published_at: optional(time),
  attempts: fc.nat(20),
  next_attempt_at: optional(time),
  remote_id: optional(text),
  remote_url: optional(text),
  error: optional(error),
  extras: optional(
    fc.record({
      cover: fc.record({
        status: fc.constantFrom("published", "failed", "unconfirmed"),
        id: optional(text),
        url: optional(text),
        error: optional(error),
      }),
    }),
  ),
  history: fc.array(attempt, { maxLength: 4 }),
});

const mediaItem = fc.record({
  id: fc.uuid(),
  type: fc.constantFrom("image", "video"),
  url: text,
  contentType: text,
  sizeBytes: fc.nat(),
  width: size,
  height: size,
  durationSeconds: optional(fc.double({ min: 0.001, max: 1e5, noNaN: true })),
  sha256: fc.string(),
});

const post = fc.record({
  status: fc.constantFrom(...POST_STATUSES, "cancelled"),
  paused_reason: optional(fc.constantFrom("user", "account")),
  scheduled_at: time,
  version: fc.integer({ min: 1, max: 1000 }),
  post_type: fc.constantFrom(...POST_TYPES),
  caption: text,
  media: fc.array(mediaItem, { maxLength: 3 }),
  platforms: fc.uniqueArray(fc.constantFrom(...PLATFORMS), { maxLength: 3 }),
  plan_hash: fc.string(),
  created_via: fc.constantFrom("api", "dashboard", "mcp"),
  created_by: optional(fc.record({ kind: fc.constantFrom("key", "app"), id: fc.uuid(), name: text })),
  created_at: time,
  updated_at: time,
  targets: fc.array(target, { maxLength: 4 }),
  annotations: optional(
    fc.record({
      external_id: optional(text),
      metadata: fc.dictionary(text, text, { maxKeys: 3 }),
      labels: fc.uniqueArray(text, { maxLength: 3 }),
      notes: optional(text),
    }),
  ),
});

async function insert(
  ctx: TestContext,
  {
    targets,
    annotations = null,
    ...columns
  }: Record<string, unknown> & { targets: readonly object[]; annotations?: object | null },
) {
  const id = ctx.ids.uuid();
  const { userId, workspaceId } = ctx.actor;
  await env.DB.batch([
    insertStatement("posts", { id, workspace_id: workspaceId, user_id: userId, confirm_hash: "", ...columns }),
    ...(annotations === null
      ? []
      : [
          insertStatement("post_annotations", {
            workspace_id: workspaceId,
            post_id: id,
            scheduled_at: 1,
            updated_at: 1,
            ...annotations,
          }),
        ]),
    ...targets.map((values) =>
      insertStatement("post_targets", { post_id: id, account_id: crypto.randomUUID(), updated_at: 1, ...values }),
    ),
  ]);
  return id;
}

function insertStatement(table: string, values: Record<string, unknown>): D1PreparedStatement {
  const columns = Object.entries(values).map(
    ([name, value]) => [name, typeof value === "object" && value !== null ? JSON.stringify(value) : value] as const,
  );
  return env.DB.prepare(
    `INSERT INTO ${table} (${columns.map(([name]) => name).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  ).bind(...columns.map(([, value]) => value));
}

describe("the JSON that the database writes is byte for byte that of presentPost", () => {
  test("of random posts in every state, read one by one and as pages, whole and as summaries", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(post, { minLength: 1, maxLength: 6 }), async (posts) => {
        const ctx = createTestContext();
        for (const values of posts) {
          const id = await insert(ctx, values);
          expect(await findPostText(ctx, { id }, POST_JSON)).toBe(
            JSON.stringify(presentPost(await getPost(ctx, { id }))),
          );
        }
        const page = { limit: 10, offset: 0, order: "asc", from: 0 } as const;
        const full = await listPosts(ctx, { ...page, fields: "full" });
        expect(await listPostTexts(ctx, { ...page, fields: "full" }, POST_JSON)).toEqual({
          posts: full.posts.map((listed) => JSON.stringify(presentPost(listed))),
          pagination: full.pagination,
          search: full.search,
        });
        const summaries = await listPosts(ctx, { ...page, fields: "summary" });
        expect(await listPostTexts(ctx, { ...page, fields: "summary" }, POST_JSON)).toEqual({
          posts: summaries.posts.map((listed) => JSON.stringify(presentPostSummary(listed))),
          pagination: summaries.pagination,
          search: summaries.search,
        });
        await ctx.waitForDeferred();
      }),
      { numRuns: 120 },
    );
  }, 60_000);
});

describe("an overdue post", () => {
  test("is armed again after it was read as text", async () => {
    const ctx = createTestContext();
    const columns = {
      status: "scheduled",
      scheduled_at: NOON - MINUTE,
      watch_at: NOON - SECOND,
      version: 1,
      post_type: "text",
      caption: "Hello",
      media: [],
      platforms: ["x"],
      plan_hash: "",
      created_via: "api",
      created_at: 1,
      updated_at: 1,
      targets: [],
    };
    const first = await insert(ctx, columns);
    await insert(ctx, { ...columns, watch_at: NOON + SECOND });
    await findPostText(ctx, { id: first }, POST_JSON);
    await ctx.waitForDeferred();
    const second = await insert(ctx, columns);
    await listPostTexts(ctx, { limit: 10, offset: 0, order: "asc", fields: "summary" }, POST_JSON);
    await ctx.waitForDeferred();
    expect(ctx.hints.map(({ postId }) => postId)).toEqual([first, second]);
  });
});
