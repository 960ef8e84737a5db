import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";
import { HOUR, SECOND } from "#core/clock.ts";
import { type EditInput } from "#planning/index.ts";
import { previewEdit, previewSchedule } from "#confirming/index.ts";
import type { Adapter } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { temporaryFault } from "#publisher/run/next-step.ts";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount } from "../../support/api-workflows.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import { createCaller } from "../../support/create-caller.ts";
import {
  createAccount,
  detailCodes,
  updatePostRow,
  createTestContext,
  oneHourAhead,
  createMedia,
  NOON,
  refusalOf,
  schedulePost,
  freezeClock,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

/** Stores encrypted tokens for the account's connection. */
async function storeTokens(ctx: TestContext, accountId: string): Promise<void> {
  const find = env.DB.prepare("SELECT connection_id FROM accounts WHERE id = ?").bind(accountId);
  const connectionId = String(await find.first("connection_id"));
  const tokens = { accessToken: "secret", refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] };
  const sealed = await sealTokens(ctx, connectionId, tokens, 1);
  await env.DB.prepare("UPDATE connections SET sealed_tokens = ? WHERE id = ?").bind(sealed, connectionId).run();
}

describe("previewSchedule", () => {
  test("shows every target as it will be published, stores the token and counts the preview", async () => {
    const ctx = createTestContext();
    const [x, ig] = [await createAccount(ctx, "x"), await createAccount(ctx, "instagram")];
    const at = oneHourAhead(ctx);
    const { preview, expiresAt } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: at,
      targets: [
        { accountId: ig, caption: "Hi" },
        { accountId: x, platformOptions: { caption: "Hey", custom: [1] } },
      ],
    });
    expect(preview).toMatchObject({
      action: "schedule",
      scheduledAt: at,
      postType: "text",
      targets: [
        {
          accountId: ig,
          platform: "instagram",
          effectiveCaption: "Hi",
          captionLength: 2,
          captionLimit: 100,
          platformOptions: { share: true },
        },
        { accountId: x, effectiveCaption: "Hey", platformOptions: { share: true, caption: "Hey", custom: [1] } },
      ],
    });
    expect(expiresAt).toBe(ctx.clock.now() + 300 * SECOND);
    const written = await env.DB.prepare("SELECT count(*) AS n FROM posts WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .first("n");
    expect(written).toBe(0);
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 1 });
  });

  test("warns when only minutes remain to confirm", async () => {
    const ctx = createTestContext();
    const accountIds = [await createAccount(ctx, "x")];
    const warningsAt = async (scheduledAt: number) =>
      (await previewSchedule(ctx, { caption: "Hello", scheduledAt, accountIds })).preview.warnings;
    expect(await warningsAt(ctx.clock.now() + 60 * SECOND)).toMatchObject([{ code: "due_soon" }]);
    expect(await warningsAt(oneHourAhead(ctx))).toEqual([]);
  });

  test("reports all problems at once, each with its request field", async () => {
    const ctx = createTestContext({
      adapters: {
        x: scriptedAdapter("x", { captionMax: 5 }),
        youtube: scriptedAdapter("youtube", { requiredOption: "title" }),
      },
    });
    const [x, yt, tk, blockedAccount] = [
      await createAccount(ctx, "x"),
      await createAccount(ctx, "youtube"),
      await createAccount(ctx, "tiktok"),
      await createAccount(ctx, "x", { status: "needs_reconnect" }),
    ];
    const gif = await createMedia(ctx, "image", "image/gif");
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Much too long",
        scheduledAt: ctx.clock.now() - 1,
        postType: "video",
        mediaItems: [{ url: gif.url, type: "image" }],
        targets: [
          { accountId: x, caption: "also too long" },
          { accountId: yt, platformOptions: { title: 8 } },
          { accountId: tk },
          { accountId: x },
          { accountId: crypto.randomUUID() },
          { accountId: blockedAccount },
        ],
      }),
    );
    expect(refusal.code).toBe("validation_failed");
    expect(detailCodes(refusal).toSorted()).toEqual(
      [
        "scheduled_at_in_past scheduled_at",
        "duplicate_account targets[3].account_id",
        "account_not_found targets[4].account_id",
        "account_needs_reconnect targets[5].account_id",
        "post_type_mismatch post_type",
        "caption_too_long targets[0].caption",
        "media_type_unsupported media_items[0]",
        "option_invalid targets[1].platform_options.title",
        "media_type_unsupported media_items[0]",
        "platform_not_configured targets[2]",
      ].toSorted(),
    );
    expect(refusal.details?.find(({ code }) => code === "caption_too_long")).toMatchObject({
      accountId: x,
      platform: "x",
      limit: 5,
      actual: 13,
    });
  });

  test("a caption in the options that is not a text is reported once", async () => {
    const caller = await createCaller();
    const { id } = await connectOneAccount(caller);
    const answer = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "Hello",
        scheduled_at: new Date(NOON + HOUR).toISOString(),
        targets: [{ account_id: id, platform_options: { caption: 7 } }],
      },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(answer.body.details).toEqual([
      expect.objectContaining({
        code: "option_invalid",
        param: "targets[0].platform_options.caption",
        account_id: id,
        platform: "x",
      }),
    ]);
  });

  test("a platform without credentials is reported once per account", async () => {
    const own = { clientId: "id", clientSecret: "secret", settings: {} };
    const ctx = createTestContext({ config: { app: (platform) => (platform === "x" ? null : own) } });
    const [one, two, ig] = [
      await createAccount(ctx, "x"),
      await createAccount(ctx, "x"),
      await createAccount(ctx, "instagram"),
    ];
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "much too long ".repeat(100),
        scheduledAt: oneHourAhead(ctx),
        targets: [
          { accountId: ig, caption: "Hi" },
          { accountId: one, platformOptions: { title: 7 } },
          { accountId: two },
        ],
      }),
    );
    expect(refusal.details).toEqual([
      expect.objectContaining({ code: "platform_not_configured", param: "targets[1]", accountId: one, platform: "x" }),
      expect.objectContaining({ code: "platform_not_configured", param: "targets[2]", accountId: two, platform: "x" }),
    ]);
  });

  test("missing and incomplete media and media of the wrong type are reported with their request fields", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const [image, unfinished] = [await createMedia(ctx), await createMedia(ctx)];
    await env.DB.prepare("UPDATE media SET state = 'uploading', sha256 = NULL WHERE id = ?").bind(unfinished.id).run();
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: oneHourAhead(ctx),
        accountIds: [x],
        mediaItems: [{ url: image.url, type: "video" }],
        mediaUrls: [unfinished.url, `${ctx.config.origin}/media/${crypto.randomUUID()}/a.png`],
      }),
    );
    expect(detailCodes(refusal)).toEqual([
      "media_type_mismatch media_items[0].type",
      "media_not_ready media_urls[0]",
      "media_not_found media_urls[1]",
    ]);
  });

  test.for([
    ["a NUL", "a\0b"],
    ["an unpaired surrogate", "a\ud800b"],
  ])("%s is refused in every text", async ([, bad], { expect }) => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: bad as string,
        scheduledAt: oneHourAhead(ctx),
        targets: [{ accountId: x, caption: bad, platformOptions: { a: [{ b: bad as string }], [bad as string]: 1 } }],
      }),
    );
    expect(detailCodes(refusal)).toEqual([
      "invalid_characters caption",
      "invalid_characters targets[0].caption",
      "invalid_characters targets[0].platform_options.a[0].b",
      "invalid_characters targets[0].platform_options",
    ]);
  });

  test("no media is fetched for a preview that is refused anyway", async () => {
    const dailyCaps = [{ count: 2, windowHours: 24, what: "posts" }];
    const adapters = {
      x: scriptedAdapter("x", { dailyCaps }),
      youtube: scriptedAdapter("youtube", { requiredOption: "title" }),
      bluesky: adapterFor("bluesky") as Adapter,
    };
    const ctx = createTestContext({ adapters });
    const x = await createAccount(ctx, "x");
    const [youtube, bluesky] = [await createAccount(ctx, "youtube"), await createAccount(ctx, "bluesky")];
    const fetched: string[] = [];
    const publicFetch = (request: Request) => {
      fetched.push(request.url);
      return Promise.resolve(new Response(null, { status: 599 }));
    };
    const watched = { ...ctx, outbound: { ...ctx.outbound, publicFetch } };
    const scheduled = {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
      mediaUrls: ["https://1.1.1.1/a.jpg"],
    };
    for (const refused of [
      { accountIds: [x, crypto.randomUUID()] },
      { platforms: ["tiktok" as const], accountIds: [] },
      { scheduledAt: ctx.clock.now() - 1 },
      { caption: "a".repeat(101) },
      { accountIds: [youtube] },
      { accountIds: [bluesky], mediaUrls: Array.from({ length: 5 }, (_, index) => `https://1.1.1.1/${index}.jpg`) },
    ]) {
      await refusalOf(previewSchedule(watched, { ...scheduled, ...refused }));
    }
    const post = await schedulePost(ctx, { accountIds: [x] });
    await refusalOf(previewEdit(watched, { postIds: [post.id, crypto.randomUUID()], mediaUrls: scheduled.mediaUrls }));
    await Promise.all(
      [0, 1].map(() => schedulePost(ctx, { accountIds: [x], scheduledAt: oneHourAhead(ctx) + 48 * HOUR })),
    );
    const refusedEdits: [Partial<EditInput>, string][] = [
      [{ caption: "a".repeat(101) }, "caption_too_long caption"],
      [
        { targetOptions: [{ accountId: x, platformOptions: { title: 7 } }] },
        "option_invalid target_options[0].platform_options.title",
      ],
      [{ shiftMinutes: -120 }, "scheduled_at_in_past shift_minutes"],
      [{ shiftMinutes: 48 * 60 }, "daily_cap_reached scheduled_at"],
      [{ targetOptions: [{ accountId: youtube }] }, "account_not_on_post target_options[0].account_id"],
    ];
    for (const [change, expected] of refusedEdits) {
      const edit = { postIds: [post.id], mediaUrls: scheduled.mediaUrls, ...change };
      expect(detailCodes(await refusalOf(previewEdit(watched, edit)))).toEqual([expected]);
    }
    await updatePostRow(post.id, { status: "published", watch_at: null });
    await refusalOf(previewEdit(watched, { postIds: [post.id], mediaUrls: scheduled.mediaUrls }));
    expect(fetched).toEqual([]);
    // Only the file can tell whether this fits: it may be a video.
    const reel = { targets: [{ accountId: x, platformOptions: { placement: "reels" } }], accountIds: undefined };
    const refusal = await refusalOf(previewSchedule(watched, { ...scheduled, ...reel }));
    expect(fetched).toHaveLength(1);
    expect(detailCodes(refusal)).toEqual(["source_refused media_urls[0]"]);
  });

  test("very deeply nested options are refused", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: oneHourAhead(ctx),
        targets: [{ accountId: x, platformOptions: deep }],
      }),
    );
    expect(detailCodes(refusal)[0]).toMatch(/^too_deep targets\[0\]\.platform_options\.a/);
  });

  test("selects account_ids and the active accounts of platforms, each account once", async () => {
    const ctx = createTestContext();
    const [a, b, ig] = [
      await createAccount(ctx, "x"),
      await createAccount(ctx, "x"),
      await createAccount(ctx, "instagram"),
    ];
    await createAccount(ctx, "x", { status: "needs_reconnect" });
    const { preview } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [ig, b],
      platforms: ["x", "tiktok"],
    });
    expect(preview.targets.map(({ accountId }) => accountId)).toEqual([ig, b, a]);
    expect(preview.warnings.map(({ code }) => code)).toEqual(["platform_without_account", "account_needs_reconnect"]);
  });

  test("accounts that need reconnecting, chosen by platform, are named when no other can be posted to", async () => {
    const ctx = createTestContext();
    const account = await createAccount(ctx, "x", { status: "needs_reconnect" });
    const refusal = await refusalOf(
      previewSchedule(ctx, { caption: "Hello", scheduledAt: oneHourAhead(ctx), platforms: ["tiktok", "x"] }),
    );
    expect(refusal.details).toMatchObject([
      { code: "account_needs_reconnect", param: "platforms[1]", accountId: account, platform: "x" },
    ]);
  });

  test.for<[string, object, string]>([
    ["no selection", {}, "targets_required targets"],
    ["empty lists", { targets: [] }, "targets_required targets"],
    ["a platform without accounts", { platforms: ["threads"] }, "account_not_found platforms"],
  ])("%s is refused", async ([, choice, problem], { expect }) => {
    const ctx = createTestContext();
    const refusal = await refusalOf(
      previewSchedule(ctx, { caption: "Hello", scheduledAt: oneHourAhead(ctx), ...choice }),
    );
    expect(detailCodes(refusal)).toEqual([problem]);
  });

  test("another user's account is answered like one that does not exist", async () => {
    const [ctx, otherUser] = [createTestContext(), createTestContext()];
    const othersAccount = await createAccount(otherUser);
    const missing = crypto.randomUUID();
    const refusalFor = (id: string) =>
      refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [id] }));
    const answers = [await refusalFor(othersAccount), await refusalFor(missing)].map((refusal) =>
      JSON.stringify(refusal),
    );
    expect(answers[0]?.replaceAll(othersAccount, "id")).toBe(answers[1]?.replaceAll(missing, "id"));
  });

  test("a time more than 365 days ahead is refused", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const limit = ctx.clock.now() + 365 * 24 * HOUR;
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: limit, accountIds: [x] });
    const refusal = await refusalOf(
      previewSchedule(ctx, { caption: "Hello", scheduledAt: limit + 1, accountIds: [x] }),
    );
    expect(detailCodes(refusal)).toEqual(["scheduled_at_too_far scheduled_at"]);
    const farFuture = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: 9e15, accountIds: [x] }));
    expect(detailCodes(farFuture)).toEqual(["scheduled_at_too_far scheduled_at"]);
  });

  test("an account has its own daily cap where the platform tells it; without it the platform's default holds", async () => {
    let isReachable = true;
    const adapter = scriptedAdapter("x", {
      dailyCaps: [{ count: 2, windowHours: 24, what: "posts" }],
      fetchCapabilities: () =>
        isReachable
          ? Promise.resolve({ ok: true, value: { cap: 1 } })
          : Promise.reject(new TypeError("Network connection lost.")),
      dailyCapsOf: ({ cap }) => [{ count: typeof cap === "number" ? cap : 2, windowHours: 24, what: "posts" }],
    });
    const ctx = createTestContext({ adapters: { x: adapter } });
    const x = await createAccount(ctx);
    await storeTokens(ctx, x);
    const post = { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [x] };
    await schedulePost(ctx, { accountIds: [x], scheduledAt: post.scheduledAt });
    expect((await refusalOf(previewSchedule(ctx, post))).details).toMatchObject([
      { code: "daily_cap_reached", limit: 1, actual: 2 },
    ]);
    isReachable = false;
    await previewSchedule(ctx, post);
  });

  test("a daily cap counts posts in every rolling window around the post, without cancelled posts", async () => {
    const dailyCaps = [{ count: 2, windowHours: 24, what: "posts" }];
    const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
    const x = await createAccount(ctx);
    const at = oneHourAhead(ctx) + 48 * HOUR;
    await schedulePost(ctx, { accountIds: [x], scheduledAt: at - 23 * HOUR });
    const nearbyPost = await schedulePost(ctx, { accountIds: [x], scheduledAt: at + 30 * 60 * SECOND });
    // 24 hours after the first post, so that every window has only one other.
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at + HOUR, accountIds: [x] });
    const refusal = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] }));
    expect(refusal.details).toMatchObject([
      { code: "daily_cap_reached", param: "scheduled_at", accountId: x, limit: 2, actual: 3 },
    ]);
    await updatePostRow(nearbyPost.id, { status: "cancelled", watch_at: null });
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] });
    const other = await createAccount(ctx);
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [other] });
  });

  describe("capabilities of accounts that are inspected at every preview", () => {
    const inspected = { captionMax: 50 };
    test.for<[string, NonNullable<Adapter["fetchCapabilities"]>, number]>([
      ["the answer of the platform is used", () => Promise.resolve({ ok: true, value: inspected }), 50],
      [
        "after a refusal the stored capabilities are used",
        () => Promise.resolve({ ok: false, fault: temporaryFault("later", 503) }),
        7,
      ],
      ["after an invalid answer the stored capabilities are used", () => Promise.reject(new Error("broken")), 7],
      ["without an answer within three seconds the stored capabilities are used", () => new Promise(() => {}), 7],
    ])("%s", async ([, inspect, captionLimit], { expect }) => {
      const ctx = createTestContext({ adapters: { x: scriptedAdapter("x", { fetchCapabilities: inspect }) } });
      const x = await createAccount(ctx, "x", { capabilities: { captionMax: 7 } });
      await storeTokens(ctx, x);
      const { preview } = await previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: oneHourAhead(ctx),
        accountIds: [x],
      });
      expect(preview.targets[0]?.captionLimit).toBe(captionLimit);
    });
  });

  describe("an option that needs further rights", () => {
    const adapters = { x: { ...scriptedAdapter("x"), optionScopes: () => ({ lists: ["lists.write"] }) } };
    const contextWith = (settings: Record<string, string>) =>
      createTestContext({ adapters, config: { app: () => ({ clientId: "id", clientSecret: "secret", settings }) } });
    const listed = { EXTRA_SCOPES: "lists.write" };

    test.for([
      ["where the operator does not list them", {}, [], "option_not_available"],
      ["where they are listed and this login lacks them", listed, [], "missing_scope"],
      ["where the operator no longer lists them", {}, ["lists.write"], "option_not_available"],
      ["where the login has them", listed, ["lists.write"], null],
    ] as const)("%s", async ([, settings, extraScopes, code], { expect }) => {
      const ctx = contextWith(settings);
      const accountId = await createAccount(ctx, "x", { capabilities: { extraScopes } });
      const preview = (lists: string[]) =>
        previewSchedule(ctx, {
          caption: "Hello",
          scheduledAt: oneHourAhead(ctx),
          targets: [{ accountId, platformOptions: { lists } }],
        });
      await preview([]);
      if (code === null) {
        expect((await preview(["one"])).preview.targets[0]?.platformOptions).toMatchObject({ lists: ["one"] });
      } else {
        expect((await refusalOf(preview(["one"]))).details).toMatchObject([
          { code, param: "targets[0].platform_options.lists", accountId, platform: "x" },
        ]);
      }
    });
  });
});
