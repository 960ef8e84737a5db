import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#core/clock.ts";
import { confirmSchedule, previewSchedule } from "#confirming/index.ts";
import { getPost } from "#posts/index.ts";
import { readToken } from "#confirming/token/confirmation-token.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import {
  createAccount,
  createTestContext,
  oneHourAhead,
  createMedia,
  refusalOf,
  refusalsIn,
  readPostRow,
  schedulePost,
  freezeClock,
  type TestContext,
  updatePostRow,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

async function previewOne(ctx: TestContext) {
  const accountId = await createAccount(ctx);
  const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [accountId] };
  const { confirmationToken } = await previewSchedule(ctx, input);
  return { confirmationToken, accountId };
}

async function confirmOne(ctx: TestContext, confirmationToken: string) {
  const { posts } = await confirmSchedule(ctx, { confirmationToken });
  return { id: posts[0]?.id ?? "" };
}

/** How many rows of used tokens the user has. */
async function countUsed({ actor }: TestContext): Promise<unknown> {
  return env.DB.prepare("SELECT count(*) AS n FROM confirmations WHERE user_id = ?").bind(actor.userId).first("n");
}

describe("confirmSchedule", () => {
  test("creates the post exactly as previewed, in one batch for any number of targets", async () => {
    const ctx = createTestContext();
    const accounts = await Promise.all(Array.from({ length: 8 }, () => createAccount(ctx)));
    const image = await createMedia(ctx);
    const { preview, confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      mediaUrls: [image.url, image.url],
      targets: accounts.map((accountId, index) => ({ accountId, ...(index === 0 && { caption: "First" }) })),
    });
    ctx.counting.reset();
    const { posts, planHash } = await confirmSchedule(ctx, { confirmationToken });
    expect(ctx.counting.count.roundTrips).toBe(1);
    const [post] = posts;
    expect(planHash).toBe(preview.planHash);
    expect(post).toMatchObject({
      status: "scheduled",
      version: 1,
      createdVia: "api",
      postType: "image",
      planHash,
      publishedAt: null,
    });
    expect(post?.mediaItems).toHaveLength(2);
    expect(post?.targets.map(({ accountId }) => accountId).toSorted()).toEqual(accounts.toSorted());
    expect(post?.targets.find(({ accountId }) => accountId === accounts[0])).toMatchObject({
      caption: "First",
      effectiveCaption: "First",
      platformOptions: { placement: "timeline", share: true },
      status: "pending",
      attempts: 0,
      error: null,
    });
    expect(ctx.hints).toEqual([]);
    await ctx.waitForDeferred();
    expect(ctx.counting.count.roundTrips).toBe(1);
    expect(ctx.hints).toMatchObject([{ postId: post?.id, version: 1, status: "scheduled" }]);
    expect(await readPostRow(post?.id ?? "")).toMatchObject({ watch_at: oneHourAhead(ctx) + 60 * SECOND });
    expect(await getPost(ctx, { id: post?.id ?? "" })).toEqual(post);
  });

  test("the plan hash can be recomputed from the stored rows", async () => {
    const ctx = createTestContext();
    const [x, ig, clip] = [
      await createAccount(ctx),
      await createAccount(ctx, "instagram"),
      await createMedia(ctx, "video"),
    ];
    const post = await schedulePost(ctx, {
      targets: [{ accountId: x }, { accountId: ig, platformOptions: { z: 1, a: "é😀" } }],
      mediaUrls: [clip.url],
    });
    const { results } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?")
      .bind(post.id)
      .all<Record<string, string>>();
    const stored = await readPostRow(post.id);
    const hash = await planHashOf({
      postType: "video",
      media: JSON.parse(String(stored["media"])),
      targets: results.map((target) => ({
        accountId: String(target["account_id"]),
        effectiveCaption: String(target["effective_caption"]),
        options: JSON.parse(String(target["options"])),
        dueAt: Number(target["due_at"]),
      })),
    });
    expect(hash).toBe(post.planHash);
  });

  test("eight concurrent confirms of one token create one post, and the others name it", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
    });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => confirmSchedule(ctx, { confirmationToken })),
    );
    const fulfilled = results.filter((result) => result.status === "fulfilled");
    expect(fulfilled).toHaveLength(1);
    const id = fulfilled[0]?.value.posts[0]?.id;
    for (const refusal of refusalsIn(results)) {
      expect(refusal).toMatchObject({ code: "token_already_used", postIds: [id] });
    }
  });

  test("a token is valid for exactly 300 seconds", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const preview = () => previewSchedule(ctx, { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [x] });
    const issuedAt = ctx.clock.now();
    const [first, second] = [await preview(), await preview()];
    vi.setSystemTime(issuedAt + 300 * SECOND - 1);
    await confirmSchedule(ctx, first);
    vi.setSystemTime(issuedAt + 300 * SECOND);
    expect(await refusalOf(confirmSchedule(ctx, second))).toMatchObject({ code: "invalid_confirmation_token" });
  });

  test("a used token names its post for two days, also when KV has forgotten it, and to nobody else", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
    });
    const issuedAt = ctx.clock.now();
    const { posts } = await confirmSchedule(ctx, { confirmationToken });
    const used = { code: "token_already_used", postIds: [posts[0]?.id] };
    vi.setSystemTime(issuedAt + 300 * SECOND);
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject(used);
    vi.setSystemTime(issuedAt + 2 * DAY - HOUR);
    const { keys } = await env.TOKENS.list();
    await Promise.all(keys.map(({ name }) => env.TOKENS.delete(name)));
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject(used);
    expect(await refusalOf(confirmSchedule(createTestContext(), { confirmationToken }))).toMatchObject({
      code: "invalid_confirmation_token",
    });
  });

  test("tokens of another user, workspace or kind and invalid tokens get the same refusal", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
    });
    const { confirmEdit } = await import("#confirming/index.ts");
    const otherWorkspace = { ...ctx, actor: { ...ctx.actor, workspaceId: crypto.randomUUID() } };
    const answers = [
      await refusalOf(confirmSchedule(createTestContext(), { confirmationToken })),
      await refusalOf(confirmSchedule(otherWorkspace, { confirmationToken })),
      await refusalOf(confirmEdit(ctx, { confirmationToken })),
      await refusalOf(confirmSchedule(ctx, { confirmationToken: "a".repeat(43) })),
      await refusalOf(confirmSchedule(ctx, { confirmationToken: `${confirmationToken}\0` })),
      await refusalOf(confirmSchedule(ctx, { confirmationToken: "\ud800" })),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    await confirmSchedule(ctx, { confirmationToken });
  });

  test("a time in the past is refused, the current millisecond is accepted", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const at = ctx.clock.now() + 5 * SECOND;
    const preview = () => previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] });
    const [onTime, late] = [await preview(), await preview()];
    vi.setSystemTime(at);
    const { posts } = await confirmSchedule(ctx, onTime);
    vi.setSystemTime(at + 1);
    expect(await refusalOf(confirmSchedule(ctx, late))).toMatchObject({ code: "scheduled_at_in_past" });
    // A repeated confirm names the existing post, even after its time.
    expect(await refusalOf(confirmSchedule(ctx, onTime))).toMatchObject({
      code: "token_already_used",
      postIds: [posts[0]?.id],
    });
  });

  test("the confirm is refused when an account or a media item became unusable since the preview", async () => {
    const ctx = createTestContext();
    const [x, y, image] = [await createAccount(ctx), await createAccount(ctx), await createMedia(ctx)];
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x, y],
      mediaUrls: [image.url],
    });
    await env.DB.batch([
      env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(y),
      env.DB.prepare("DELETE FROM media WHERE id = ?").bind(image.id),
    ]);
    const refusal = await refusalOf(confirmSchedule(ctx, { confirmationToken }));
    expect(refusal.details).toMatchObject([
      { code: "account_needs_reconnect", accountId: y },
      { code: "media_not_found", actual: image.id },
    ]);
    await env.DB.batch([env.DB.prepare("UPDATE accounts SET status = 'active' WHERE id = ?").bind(y)]);
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({ code: "validation_failed" });
  });

  test("a media item that is about to expire can still be confirmed", async () => {
    const ctx = createTestContext();
    const [x, image] = [await createAccount(ctx), await createMedia(ctx)];
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
      mediaUrls: [image.url],
    });
    await env.DB.prepare("UPDATE media SET state = 'expiring' WHERE id = ?").bind(image.id).run();
    await confirmSchedule(ctx, { confirmationToken });
  });

  test.for(["before", "after"])("a response lost %s the commit does not create a second post", async (when) => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const { confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
    });
    let hasLostResponse = false;
    const d1 = new Proxy(ctx.db.d1, {
      get(target, name) {
        if (name !== "batch") {
          return Reflect.get(target, name);
        }
        return async (statements: D1PreparedStatement[]) => {
          if (hasLostResponse) {
            return target.batch(statements);
          }
          hasLostResponse = true;
          if (when === "after") {
            await target.batch(statements);
          }
          throw new Error("D1_ERROR: Network connection lost.");
        };
      },
    });
    const { posts } = await confirmSchedule({ ...ctx, db: { ...ctx.db, d1 } }, { confirmationToken });
    expect(posts).toHaveLength(1);
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({
      code: "token_already_used",
      postIds: [posts[0]?.id],
    });
  });

  test("a response lost while another call committed is told that the token is used, not that the post is its own", async () => {
    const ctx = createTestContext();
    const { confirmationToken } = await previewOne(ctx);
    const { id } = await confirmOne(ctx, confirmationToken);
    let lost = 0;
    const batch = (statements: D1PreparedStatement[]) => {
      lost += 1;
      return lost === 1 ? Promise.reject(new Error("D1_ERROR: Network connection lost.")) : ctx.db.d1.batch(statements);
    };
    const d1 = { prepare: (sql: string) => ctx.db.d1.prepare(sql), batch } as typeof ctx.db.d1;
    expect(await refusalOf(confirmSchedule({ ...ctx, db: { ...ctx.db, d1 } }, { confirmationToken }))).toMatchObject({
      code: "token_already_used",
      postIds: [id],
    });
    expect(lost).toBeGreaterThan(1);
  });

  test("the post itself is the record that its token was used: cancelled, or due, it still is", async () => {
    const ctx = createTestContext();
    const { confirmationToken } = await previewOne(ctx);
    const { id } = await confirmOne(ctx, confirmationToken);
    expect((await readToken(confirmationToken)).postId).toBe(id);
    expect(await countUsed(ctx)).toBe(0);
    for (const status of ["cancelled", "publishing", "published", "failed"]) {
      await updatePostRow(id, { status });
      expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({
        code: "token_already_used",
        postIds: [id],
      });
    }
  });

  test("a token whose account can no longer be posted to is told first that it was used", async () => {
    const ctx = createTestContext();
    const { confirmationToken, accountId } = await previewOne(ctx);
    const { id } = await confirmOne(ctx, confirmationToken);
    await env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(accountId).run();
    expect(await refusalOf(confirmSchedule(ctx, { confirmationToken }))).toMatchObject({
      code: "token_already_used",
      postIds: [id],
    });
  });

  test("an object that cannot be armed does not delay the confirm and is left to the reconciler", async () => {
    const failing = createTestContext({ arm: () => Promise.reject(new Error("no object")) });
    const post = await schedulePost(failing, { accountIds: [await createAccount(failing)] });
    await failing.waitForDeferred();
    expect(await readPostRow(post.id)).toMatchObject({
      status: "scheduled",
      watch_at: failing.clock.now() + 20 * SECOND,
    });
  });

  /** Not `schedulePost`, which also waits for what follows the response. */
  async function confirmDueIn(ctx: TestContext, ms: number) {
    const scheduledAt = ctx.clock.now() + ms;
    const preview = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt,
      accountIds: [await createAccount(ctx)],
    });
    const { posts } = await confirmSchedule(ctx, preview);
    return { id: posts[0]?.id ?? "", scheduledAt };
  }

  test("a post that changed since is not checked earlier because arming its older version failed", async () => {
    const failing = createTestContext({ arm: () => Promise.reject(new Error("no object")) });
    const { id, scheduledAt } = await confirmDueIn(failing, HOUR);
    await updatePostRow(id, { version: 2 });
    await failing.waitForDeferred();
    expect(failing.hints).toHaveLength(1);
    expect(await readPostRow(id)).toMatchObject({ watch_at: scheduledAt + MINUTE });
  });

  test("the confirm waits for the object of a post that is due within a minute, but at most two seconds", async () => {
    const armed = createTestContext();
    await confirmDueIn(armed, MINUTE);
    expect(armed.hints).toHaveLength(1);

    const hanging = createTestContext({ arm: () => new Promise(() => {}) });
    const started = performance.now();
    const { id, scheduledAt } = await confirmDueIn(hanging, MINUTE);
    expect(performance.now() - started).toBeLessThan(4000);
    expect(await readPostRow(id)).toMatchObject({ watch_at: scheduledAt + MINUTE });
  });

  test("the arm hint has the longest preparation time of the platforms", async () => {
    const ctx = createTestContext({
      adapters: {
        x: scriptedAdapter("x", { prepareAheadMs: 5000 }),
        instagram: scriptedAdapter("instagram", { prepareAheadMs: 9000 }),
      },
    });
    const clip = await createMedia(ctx, "video");
    await schedulePost(ctx, {
      accountIds: [await createAccount(ctx), await createAccount(ctx, "instagram")],
      mediaUrls: [clip.url],
    });
    expect(ctx.hints[0]?.prepareAheadMs).toBe(9000);
  });

  test("a post with two targets costs at most 10 row writes until it is claimed", async () => {
    const ctx = createTestContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    ctx.counting.reset();
    await schedulePost(ctx, { accountIds: [x, y] });
    expect(ctx.counting.count.rowsWritten).toBeLessThanOrEqual(10);
  });
});

describe("the plan hash", () => {
  const WITHOUT_DESCRIPTION = {
    text: "0f37bff8606fe7a7ae8a58eae0046c39a9e0a8a2a9e77f331b21f5f0c26e6e6f",
    image: "b7ebeb8c75657406fd2dd547280cf40f9c5de464271ec6ee287c6934d8d04b6f",
  };
  const targets = [
    {
      accountId: "0197a000-0000-7000-8000-00000000000b",
      effectiveCaption: "Hello",
      options: { placement: "timeline" },
      dueAt: 1_900_000_000_000,
    },
  ];
  const image = { type: "image", sha256: "ab".repeat(32) } as const;

  test("leaves out a description that is not set, and covers one that is set", async () => {
    const hashOf = (media: Parameters<typeof planHashOf>[0]["media"]) =>
      planHashOf({ postType: media.length === 0 ? "text" : "image", media, targets });
    expect(await hashOf([])).toBe(WITHOUT_DESCRIPTION.text);
    expect(await hashOf([image])).toBe(WITHOUT_DESCRIPTION.image);
    expect(await hashOf([{ ...image, altText: undefined }])).toBe(WITHOUT_DESCRIPTION.image);
    expect(await hashOf([{ ...image, altText: "A blue bowl" }])).toBe(
      "91622d13b4e9de4c0c1e8796518832bd91b21349511126225c99f35ab41f5d3c",
    );
  });

  test("of a video covers its cover: the moment, or the bytes of the picture", async () => {
    const video = { type: "video", sha256: "cd".repeat(32) } as const;
    const hashOf = (cover?: NonNullable<Parameters<typeof planHashOf>[0]["media"][number]["cover"]>) =>
      planHashOf({ postType: "video", media: [{ ...video, cover }], targets });
    expect(await hashOf()).toBe("1c9c9ab6f65ffe8d80bcabe7d4a2a135ece9138d4869976aaba37826262f9cf7");
    expect(await hashOf({ atMs: 0 })).toBe("f500d783545b6c2652fd2f7515cabf93bf0f734829d0d5a40393e7ef260594c8");
    expect(await hashOf({ image: { sha256: "ef".repeat(32) } })).toBe(
      "aa134af17bcee2a8f01f0b513bacfc01922767398588592744ae1387326bc446",
    );
  });
});
