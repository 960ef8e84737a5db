import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const preview = (caller: ApiCaller, body: unknown, headers = {}) =>
  callApi(caller, { method: "POST", path: "/posts/preview", body, headers });

describe("200", () => {
  test("returns what would be published and a token, and schedules nothing", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const scheduledAt = isoInDays(1);
    const response = await preview(caller, { caption: "Hello", scheduled_at: scheduledAt, account_ids: [account.id] });
    expect(response).toMatchObject({
      status: 200,
      body: {
        preview: {
          action: "schedule",
          scheduled_at: scheduledAt,
          post_type: "text",
          caption: "Hello",
          targets: [{ account_id: account.id, platform: "x", effective_caption: "Hello", caption_length: 5 }],
          plan_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        expires_in: 300,
      },
    });
    const remainingMs = Date.parse(response.body.expires_at) - Date.now();
    expect(remainingMs).toBeGreaterThan(290_000);
    expect(remainingMs).toBeLessThanOrEqual(300_000);
    const list = await callApi(caller, { method: "GET", path: "/posts" });
    expect(list.body.pagination.total).toBe(0);
  });

  test("a time with an offset is converted to UTC", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const scheduled = new Date(Math.ceil((Date.now() + 86_400_000) / 1000) * 1000);
    const local = new Date(scheduled.valueOf() + 2 * 3_600_000).toISOString().replace(".000Z", "+02:00");
    const response = await preview(caller, { caption: "Hello", scheduled_at: local, account_ids: [account.id] });
    expect(response.body.preview.scheduled_at).toBe(scheduled.toISOString());
  });
});

describe("400", () => {
  test("names every problem with the path of its member", async ({ expect }) => {
    const response = await preview(await createCaller(), {
      caption: "",
      scheduled_at: "tomorrow",
      account_ids: ["1"],
      platforms: ["myspace"],
      targets: [{ caption: 1, platform_options: [] }],
      post_type: "poem",
      media_items: [{ url: "" }],
      media_urls: [1],
    });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(response.body.details.map(({ param }: { param: string }) => param).toSorted()).toEqual([
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

  test("lists problems of format and of meaning together", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const unknownId = crypto.randomUUID();
    const response = await preview(caller, {
      caption: "x".repeat(30_000),
      scheduled_at: "tomorrow",
      account_ids: [account.id, unknownId],
    });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    const problems = response.body.details.map(({ code, param }: { code: string; param: string }) => [param, code]);
    expect(problems).toEqual([
      ["scheduled_at", "invalid_format"],
      ["account_ids[1]", "account_not_found"],
      ["caption", "caption_too_long"],
    ]);
    expect(response.body.error).toMatch(/^3 problems found; the first: scheduled_at /);
  });

  test("does not judge what depends on a member that cannot be read", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const codes = async (body: object) =>
      (await preview(caller, body)).body.details.map(({ code }: { code: string }) => code);
    const draft = { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [account.id] };
    expect(await codes({ ...draft, media_urls: [1] }), "media").toEqual(["wrong_type"]);
    const bluesky = await connectOneAccount(caller, "bluesky");
    const described = { account_id: bluesky.id, platform_options: { alt_texts: ["A vase"] } };
    expect(
      await codes({ ...draft, account_ids: undefined, targets: [described], media_urls: [1] }),
      "options that describe the media",
    ).toEqual(["wrong_type"]);
    expect(await codes({ ...draft, account_ids: ["1"] }), "accounts").toEqual(["invalid_format"]);
    expect(await codes({ ...draft, caption: 1 }), "caption").toEqual(["wrong_type", "media_required"]);
    expect(await codes({ ...draft, scheduled_at: isoInDays(-1), post_type: "poem" }), "type").toEqual([
      "invalid_value",
      "scheduled_at_in_past",
      "media_required",
    ]);
  });

  test("says by its code what is wrong with each member", async ({ expect }) => {
    const response = await preview(await createCaller(), {
      scheduled_at: "tomorrow",
      account_ids: "1",
      post_type: "poem",
      media_urls: [""],
    });
    const codes = response.body.details.map(({ code, param }: Record<string, string>) => `${code} ${param}`);
    expect(codes.toSorted()).toEqual([
      "invalid_format scheduled_at",
      "invalid_value post_type",
      "out_of_range media_urls[0]",
      "required caption",
      "wrong_type account_ids",
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
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const response = await preview(caller, { caption: "Hello", scheduled_at: scheduledAt, account_ids: [account.id] });
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", param: "scheduled_at" } });
  });

  test("names the target that breaks a platform's rule", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "x", "ben");
    const response = await preview(caller, {
      caption: "Hello",
      scheduled_at: isoInDays(1),
      targets: [{ account_id: account.id, caption: "x".repeat(281) }],
    });
    expect(response.body.details).toEqual([
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

  test("another user's account gets the same response as one that does not exist", async ({ expect }) => {
    const account = await connectOneAccount(await createCaller());
    const otherCaller = await createCaller();
    const send = (id: string) =>
      preview(
        otherCaller,
        { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [id] },
        { "x-request-id": "same" },
      );
    const ofOtherUser = await send(account.id);
    const missing = await send("11111111-1111-1111-1111-111111111111");
    expect(ofOtherUser.status).toBe(400);
    expect(JSON.stringify(ofOtherUser.body).replaceAll(account.id, "?")).toBe(
      JSON.stringify(missing.body).replaceAll("11111111-1111-1111-1111-111111111111", "?"),
    );
  });

  test("without a target", async ({ expect }) => {
    expect((await preview(await createCaller(), { caption: "Hello", scheduled_at: isoInDays(1) })).status).toBe(400);
  });
});
