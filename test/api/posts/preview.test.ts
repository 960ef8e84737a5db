import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, inDays } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const preview = (caller: Caller, body: unknown, headers = {}) =>
  call(caller, { method: "POST", path: "/posts/preview", body, headers });

describe("200", () => {
  test("what would be published, and a token for it, and nothing is scheduled", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const at = inDays(1);
    const answer = await preview(caller, { caption: "Hello", scheduled_at: at, account_ids: [account.id] });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        preview: {
          action: "schedule",
          scheduled_at: at,
          post_type: "text",
          caption: "Hello",
          targets: [{ account_id: account.id, platform: "x", effective_caption: "Hello", caption_length: 5 }],
          plan_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        expires_in: 300,
      },
    });
    const left = Date.parse(answer.body.expires_at) - Date.now();
    expect(left).toBeGreaterThan(290_000);
    expect(left).toBeLessThanOrEqual(300_000);
    const list = await call(caller, { method: "GET", path: "/posts" });
    expect(list.body.pagination.total).toBe(0);
  });

  test("a time is a time in any offset", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const at = new Date(Math.ceil((Date.now() + 86_400_000) / 1000) * 1000);
    const local = new Date(at.valueOf() + 2 * 3_600_000).toISOString().replace(".000Z", "+02:00");
    const answer = await preview(caller, { caption: "Hello", scheduled_at: local, account_ids: [account.id] });
    expect(answer.body.preview.scheduled_at).toBe(at.toISOString());
  });
});

describe("400", () => {
  test("every problem at once, in the caller's notation", async ({ expect }) => {
    const answer = await preview(await newCaller(), {
      caption: "",
      scheduled_at: "tomorrow",
      account_ids: ["1"],
      platforms: ["myspace"],
      targets: [{ caption: 1, platform_options: [] }],
      post_type: "poem",
      media_items: [{ url: "" }],
      media_urls: [1],
    });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(answer.body.details.map(({ param }: { param: string }) => param).toSorted()).toEqual([
      "account_ids[0]",
      "caption",
      "media_items[0].type",
      "media_items[0].url",
      "media_urls[0]",
      "platforms[0]",
      "post_type",
      "scheduled_at",
      "targets[0].account_id",
      "targets[0].caption",
      "targets[0].platform_options",
    ]);
  });

  test.for([
    "2020-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "0000-01-01T00:00:00Z",
    "+275760-09-13T00:00:00Z",
    "2026-12-24",
    "2026-12-24T18:00:00",
    "2026-12-24 18:00:00Z",
    "2026-13-01T00:00:00Z",
    "2027-02-29T00:00:00Z",
    "",
    1_800_000_000,
    null,
    {},
  ])("scheduled_at %j", async (scheduledAt, { expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const answer = await preview(caller, { caption: "Hello", scheduled_at: scheduledAt, account_ids: [account.id] });
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", param: "scheduled_at" } });
  });

  test("a rule of the platform names the target", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller, "x", "ben");
    const answer = await preview(caller, {
      caption: "Hello",
      scheduled_at: inDays(1),
      targets: [{ account_id: account.id, caption: "x".repeat(281) }],
    });
    expect(answer.body.details).toEqual([
      expect.objectContaining({
        code: "caption_too_long",
        param: "targets[0].caption",
        account_id: account.id,
        platform: "x",
        limit: 280,
        actual: 281,
      }),
    ]);
  });

  test("somebody else's account looks like one that does not exist", async ({ expect }) => {
    const account = await connectOne(await newCaller());
    const stranger = await newCaller();
    const ask = (id: string) =>
      preview(stranger, { caption: "Hello", scheduled_at: inDays(1), account_ids: [id] }, { "x-request-id": "same" });
    const theirs = await ask(account.id);
    const missing = await ask("11111111-1111-1111-1111-111111111111");
    expect(theirs.status).toBe(400);
    expect(JSON.stringify(theirs.body).replaceAll(account.id, "?")).toBe(
      JSON.stringify(missing.body).replaceAll("11111111-1111-1111-1111-111111111111", "?"),
    );
  });

  test("nothing chosen", async ({ expect }) => {
    expect((await preview(await newCaller(), { caption: "Hello", scheduled_at: inDays(1) })).status).toBe(400);
  });
});
