import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { sealTokens } from "#accounts/seal-tokens.ts";
import { HOUR, SECOND } from "#core/clock.ts";
import { previewSchedule } from "#posting/index.ts";
import type { Adapter } from "#platforms/contract.ts";
import { temporaryFault } from "#posting/run/next-step.ts";
import { call } from "../support/call.ts";
import { connectOne } from "../support/journey.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";
import { newCaller } from "../support/user.ts";
import {
  account,
  details,
  force,
  house,
  inAnHour,
  media,
  NOON,
  refusalOf,
  schedule,
  stopTheClock,
  type House,
} from "./test-context.ts";

beforeEach(() => stopTheClock());

/** Gives an account's connection tokens that can be opened. */
async function logIn(ctx: House, accountId: string): Promise<void> {
  const find = env.DB.prepare("SELECT connection_id FROM accounts WHERE id = ?").bind(accountId);
  const connectionId = String(await find.first("connection_id"));
  const tokens = { accessToken: "secret", refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] };
  const sealed = await sealTokens(ctx, connectionId, tokens, 1);
  await env.DB.prepare("UPDATE connections SET sealed_tokens = ? WHERE id = ?").bind(sealed, connectionId).run();
}

describe("preview", () => {
  test("shows every target as it will be published and writes nothing but the token", async () => {
    const ctx = house();
    const [x, ig] = [await account(ctx, "x"), await account(ctx, "instagram")];
    const at = inAnHour(ctx);
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
    expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
  });

  test("tells every problem at once, each where the caller wrote it", async () => {
    const ctx = house({
      adapters: {
        x: scriptedAdapter("x", { captionMax: 5 }),
        youtube: scriptedAdapter("youtube", { requiredOption: "title" }),
      },
    });
    const [x, yt, tk, dead] = [
      await account(ctx, "x"),
      await account(ctx, "youtube"),
      await account(ctx, "tiktok"),
      await account(ctx, "x", { status: "needs_reconnect" }),
    ];
    const gif = await media(ctx, "image", "image/gif");
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
          { accountId: dead },
        ],
      }),
    );
    expect(refusal.code).toBe("validation_failed");
    expect(details(refusal).toSorted()).toEqual(
      [
        "scheduled_at_in_past scheduled_at",
        "duplicate_account targets[3].account_id",
        "account_not_found targets[4].account_id",
        "account_needs_reconnect targets[5].account_id",
        "post_type_mismatch post_type",
        "caption_too_long targets[0].caption",
        "media_type_not_supported media_items[0]",
        "option_invalid targets[1].platform_options.title",
        "media_type_not_supported media_items[0]",
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

  test("a caption among the options that is no text is told once", async () => {
    const caller = await newCaller();
    const { id } = await connectOne(caller);
    const answer = await call(caller, {
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

  test("a platform whose credentials the operator took away is told once per account", async () => {
    const own = { clientId: "id", clientSecret: "secret", settings: {} };
    const ctx = house({ config: { app: (platform) => (platform === "x" ? null : own) } });
    const [one, two, ig] = [await account(ctx, "x"), await account(ctx, "x"), await account(ctx, "instagram")];
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "much too long ".repeat(100),
        scheduledAt: inAnHour(ctx),
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

  test("names media that are missing, unfinished or of the other kind, by the caller's own field", async () => {
    const ctx = house();
    const x = await account(ctx);
    const [image, unfinished] = [await media(ctx), await media(ctx)];
    await env.DB.prepare("UPDATE media SET state = 'uploading', sha256 = NULL WHERE id = ?").bind(unfinished.id).run();
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: inAnHour(ctx),
        accountIds: [x],
        mediaItems: [{ url: image.url, type: "video" }],
        mediaUrls: [unfinished.url, `${ctx.config.origin}/media/${crypto.randomUUID()}/a.png`],
      }),
    );
    expect(details(refusal)).toEqual([
      "media_type_mismatch media_items[0].type",
      "media_not_ready media_urls[0]",
      "media_not_found media_urls[1]",
    ]);
  });

  test.for([
    ["a NUL", "a\0b"],
    ["half a character", "a\ud800b"],
  ])("%s is refused wherever it stands", async ([, bad], { expect }) => {
    const ctx = house();
    const x = await account(ctx);
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: bad as string,
        scheduledAt: inAnHour(ctx),
        targets: [{ accountId: x, caption: bad, platformOptions: { a: [{ b: bad as string }], [bad as string]: 1 } }],
      }),
    );
    expect(details(refusal)).toEqual([
      "invalid_characters caption",
      "invalid_characters targets[0].caption",
      "invalid_characters targets[0].platform_options.a[0].b",
      "invalid_characters targets[0].platform_options",
    ]);
  });

  test("options as deep as a well are refused, not followed", async () => {
    const ctx = house();
    const x = await account(ctx);
    const deep = JSON.parse(`{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    const refusal = await refusalOf(
      previewSchedule(ctx, {
        caption: "Hello",
        scheduledAt: inAnHour(ctx),
        targets: [{ accountId: x, platformOptions: deep }],
      }),
    );
    expect(details(refusal)[0]).toMatch(/^too_deep targets\[0\]\.platform_options\.a/);
  });

  test("chooses the union of account_ids and the active accounts of platforms, each once", async () => {
    const ctx = house();
    const [a, b, ig] = [await account(ctx, "x"), await account(ctx, "x"), await account(ctx, "instagram")];
    await account(ctx, "x", { status: "needs_reconnect" });
    const { preview } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: inAnHour(ctx),
      accountIds: [ig, b],
      platforms: ["x", "tiktok"],
    });
    expect(preview.targets.map(({ accountId }) => accountId)).toEqual([ig, b, a]);
    expect(preview.warnings.map(({ code }) => code)).toEqual(["platform_without_account"]);
  });

  test.for<[string, object, string]>([
    ["nothing chosen", {}, "targets_required targets"],
    ["empty lists", { targets: [] }, "targets_required targets"],
    ["a platform without accounts", { platforms: ["threads"] }, "account_not_found platforms"],
  ])("%s is refused", async ([, choice, problem], { expect }) => {
    const ctx = house();
    const refusal = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), ...choice }));
    expect(details(refusal)).toEqual([problem]);
  });

  test("another user's account looks like one that does not exist", async () => {
    const [ctx, stranger] = [house(), house()];
    const theirs = await account(stranger);
    const missing = crypto.randomUUID();
    const ask = (id: string) =>
      refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [id] }));
    const answers = [await ask(theirs), await ask(missing)].map((refusal) => JSON.stringify(refusal));
    expect(answers[0]?.replaceAll(theirs, "id")).toBe(answers[1]?.replaceAll(missing, "id"));
  });

  test("365 days ahead is the furthest", async () => {
    const ctx = house();
    const x = await account(ctx);
    const limit = ctx.clock.now() + 365 * 24 * HOUR;
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: limit, accountIds: [x] });
    const refusal = await refusalOf(
      previewSchedule(ctx, { caption: "Hello", scheduledAt: limit + 1, accountIds: [x] }),
    );
    expect(details(refusal)).toEqual(["scheduled_at_too_far scheduled_at"]);
    const wild = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: 9e15, accountIds: [x] }));
    expect(details(wild)).toEqual(["scheduled_at_too_far scheduled_at"]);
  });

  test("a platform's cap counts every rolling window around the post, without cancelled posts", async () => {
    const dailyCaps = [{ count: 2, windowHours: 24, what: "posts" }];
    const ctx = house({ adapters: { x: scriptedAdapter("x", { dailyCaps }) } });
    const x = await account(ctx);
    const at = inAnHour(ctx) + 48 * HOUR;
    await schedule(ctx, { accountIds: [x], scheduledAt: at - 23 * HOUR });
    const near = await schedule(ctx, { accountIds: [x], scheduledAt: at + 30 * 60 * SECOND });
    // 24 hours after the first and with only one other in every window.
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at + HOUR, accountIds: [x] });
    const refusal = await refusalOf(previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] }));
    expect(refusal.details).toMatchObject([
      { code: "daily_cap_reached", param: "scheduled_at", accountId: x, limit: 2, actual: 3 },
    ]);
    await force(near.id, { status: "cancelled", watch_at: null });
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [x] });
    const other = await account(ctx);
    await previewSchedule(ctx, { caption: "Hello", scheduledAt: at, accountIds: [other] });
  });

  describe("where the rules of an account change often", () => {
    const fresh = { captionMax: 50 };
    test.for<[string, NonNullable<Adapter["inspect"]>, number]>([
      ["the platform's fresh answer counts", () => Promise.resolve({ ok: true, value: fresh }), 50],
      [
        "a refusal leaves the stored capabilities",
        () => Promise.resolve({ ok: false, fault: temporaryFault("later", 503) }),
        7,
      ],
      ["a broken answer leaves them", () => Promise.reject(new Error("broken")), 7],
      ["an answer that does not come within three seconds leaves them", () => new Promise(() => {}), 7],
    ])("%s", async ([, inspect, captionLimit], { expect }) => {
      const ctx = house({ adapters: { x: scriptedAdapter("x", { inspect }) } });
      const x = await account(ctx, "x", { capabilities: { captionMax: 7 } });
      await logIn(ctx, x);
      const { preview } = await previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), accountIds: [x] });
      expect(preview.targets[0]?.captionLimit).toBe(captionLimit);
    });
  });
});
