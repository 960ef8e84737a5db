import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createUniqueFile, uploadFile } from "../../journeys/journey-driver.ts";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";
import { nextRepeatedTime } from "../../support/repeated-time.ts";

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

describe("time_zone", () => {
  const problems = async (body: object) => {
    const response = await preview(await createCaller(), { caption: "Hello", platforms: ["x"], ...body });
    const details: readonly Record<string, string>[] = response.body.details;
    return details.filter(({ param }) => param !== "platforms").map(({ code, param }) => `${code} ${param}`);
  };

  test("gives a time without an offset its instant, and the plan of that instant", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const day = isoInDays(30).slice(0, 10);
    const draft = { caption: "Hello", account_ids: [account.id] };
    const local = await preview(caller, { ...draft, scheduled_at: `${day}T19:00`, time_zone: "Asia/Tokyo" });
    expect(local.body.preview).toMatchObject({ scheduled_at: `${day}T10:00:00.000Z`, warnings: [] });
    for (const same of [
      { scheduled_at: `${day} 19:00:00`, time_zone: "Asia/Tokyo" },
      { scheduled_at: `${day}T19:00:00+09:00`, time_zone: "Asia/Tokyo" },
      { scheduled_at: `${day}T10:00:00Z`, time_zone: "Asia/Tokyo" },
      { scheduled_at: `${day}T10:00:00Z`, time_zone: null },
    ]) {
      const other = await preview(caller, { ...draft, ...same });
      expect(other.body.preview, JSON.stringify(same)).toEqual(local.body.preview);
    }
  });

  test("a time that comes twice is the first, with a warning that tells the second", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { timeZone, wall, first, second } = nextRepeatedTime();
    const draft = { caption: "Hello", account_ids: [account.id], time_zone: timeZone };
    const { body } = await preview(caller, { ...draft, scheduled_at: wall });
    expect(body.preview).toMatchObject({ scheduled_at: first, warnings: [{ code: "local_time_ambiguous" }] });
    const told = /send (\S+)$/.exec(body.preview.warnings[0].message)?.[1];
    const later = await preview(caller, { ...draft, scheduled_at: told });
    expect(later.body.preview).toMatchObject({ scheduled_at: second, warnings: [] });
    const confirmed = await callApi(caller, {
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: body.confirmation_token },
    });
    expect(confirmed.body.posts).toMatchObject([{ scheduled_at: first }]);
  });

  test.for([
    [{ scheduled_at: "2027-03-28T02:30", time_zone: "Europe/Berlin" }, "local_time_does_not_exist scheduled_at"],
    [{ scheduled_at: "2027-07-01T18:00:00+01:00", time_zone: "Europe/Berlin" }, "offset_disagrees scheduled_at"],
    [{ scheduled_at: "2027-07-01T18:00" }, "invalid_format scheduled_at"],
    [{ scheduled_at: "2027-07-01T18:00", time_zone: null }, "invalid_format scheduled_at"],
    [{ scheduled_at: "tomorrow", time_zone: "Europe/Berlin" }, "invalid_format scheduled_at"],
    [{ scheduled_at: 1_800_000_000, time_zone: "Europe/Berlin" }, "wrong_type scheduled_at"],
    [{ scheduled_at: "2027-07-01T18:00", time_zone: "+02:00" }, "invalid_value time_zone"],
    [{ scheduled_at: "2027-07-01T18:00", time_zone: 2 }, "wrong_type time_zone"],
    [{ scheduled_at: "2027-07-01T18:00:00+02:00", time_zone: "x".repeat(65) }, "out_of_range time_zone"],
  ] as const)("%j", async ([body, problem], { expect }) => {
    expect(await problems(body)).toEqual([problem]);
  });

  test("that is unknown leaves the time unjudged, and nothing else", async ({ expect }) => {
    for (const scheduledAt of ["2020-01-01T18:00", "2020-01-01T18:00:00+05:00"]) {
      expect(
        await problems({
          scheduled_at: scheduledAt,
          time_zone: "Berlin",
          account_ids: [crypto.randomUUID()],
          platforms: null,
        }),
      ).toEqual(["invalid_value time_zone", "account_not_found account_ids[0]"]);
    }
    expect(await problems({ scheduled_at: "tomorrow", time_zone: "Berlin" })).toEqual([
      "invalid_format scheduled_at",
      "invalid_value time_zone",
    ]);
  });

  test("a time that cannot be read is told beside every other problem", async ({ expect }) => {
    expect(
      await problems({
        caption: 1,
        scheduled_at: "2027-03-28T02:30",
        time_zone: "Europe/Berlin",
        account_ids: ["1"],
        platforms: null,
      }),
    ).toEqual(["wrong_type caption", "invalid_format account_ids[0]", "local_time_does_not_exist scheduled_at"]);
  });
});

describe("descriptions of media", () => {
  async function draftOf(caller: ApiCaller, platform: "x" | "pinterest" = "x") {
    const account = await connectOneAccount(caller, platform);
    const { url } = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const item = { url, type: "image" };
    return { item, body: { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [account.id] } };
  }

  test("are shown, stored and read back as they can be sent again; null and an empty text are none", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const { item, body } = await draftOf(caller);
    const media = [
      { ...item, alt_text: "Ein „blauer“ Krug 🏺" },
      { ...item, alt_text: null },
      { ...item, alt_text: "" },
    ];
    const previewed = await preview(caller, { ...body, media_items: [...media, item] });
    expect(previewed.body.preview.media_items).toMatchObject([
      { alt_text: "Ein „blauer“ Krug 🏺" },
      { alt_text: null },
      { alt_text: null },
      { alt_text: null },
    ]);
    const { confirmation_token } = previewed.body;
    const confirmed = await callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token } });
    const [{ id }] = confirmed.body.posts;
    const { post } = (await callApi(caller, { method: "GET", path: `/posts/${id}` })).body;
    expect(post.media_items).toEqual(previewed.body.preview.media_items);
    const listed = await callApi(caller, { method: "GET", path: "/posts" });
    expect(listed.body.posts[0].media_items).toEqual(post.media_items);
    const again = await preview(caller, { ...body, media_items: post.media_items });
    expect(again.body.preview.media_items).toEqual(post.media_items);
  });

  test("are refused with their place when no platform or this platform takes them", async ({ expect }) => {
    const caller = await createCaller();
    const { item, body } = await draftOf(caller, "pinterest");
    const problemsOf = async (altText: unknown) =>
      (await preview(caller, { ...body, media_items: [item, { ...item, alt_text: altText }] })).body.details.map(
        ({ code, param }: { code: string; param: string }) => [code, param],
      );
    const place = "media_items[1].alt_text";
    expect(await problemsOf("a".repeat(1001))).toContainEqual(["out_of_range", place]);
    expect(await problemsOf(1)).toContainEqual(["wrong_type", place]);
    expect(await problemsOf("a".repeat(501))).toContainEqual(["alt_text_too_long", place]);
  });
});

describe("covers of videos", () => {
  test("are imported, counted as files of the post, shown and read back; the wrong ones are named", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const [clip, picture] = [
      await uploadFile(caller, await createUniqueFile("portrait.mp4")),
      await uploadFile(caller, await createUniqueFile("portrait.jpg")),
    ];
    const body = { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [account.id] };
    const withCover = (cover: unknown, url = clip.url, type = "video") =>
      preview(caller, { ...body, media_items: [{ url, type, cover }] });
    const previewed = await withCover({ url: picture.url });
    expect(previewed.body.preview.media_items).toMatchObject([{ cover: { at_ms: null, url: picture.url } }]);
    const { confirmation_token } = previewed.body;
    const confirmed = await callApi(caller, { method: "POST", path: "/posts/confirm", body: { confirmation_token } });
    const [{ id }] = confirmed.body.posts;
    const { post } = (await callApi(caller, { method: "GET", path: `/posts/${id}` })).body;
    expect(post.media_items).toEqual(previewed.body.preview.media_items);
    const listed = await callApi(caller, { method: "GET", path: "/posts" });
    expect(listed.body.posts[0].media_items).toEqual(post.media_items);
    const uses = await env.DB.prepare("SELECT count(*) AS n FROM post_media WHERE post_id = ?").bind(id).first("n");
    expect(uses).toBe(2);
    const edit = await callApi(caller, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [id], media_items: [{ ...post.media_items[0], cover: { at_ms: 900, url: null } }] },
    });
    expect(edit.body.preview.posts[0].changes).toMatchObject([
      { from: [{ cover: { url: picture.url } }], to: [{ cover: { at_ms: 900 } }] },
    ]);
    const problemsOf = async (answer: Promise<{ body: { details?: { code: string; param: string }[] } }>) =>
      ((await answer).body.details ?? []).map(({ code, param }) => [code, param]);
    const place = "media_items[0].cover";
    expect(await problemsOf(withCover({ at_ms: 1, url: picture.url }))).toEqual([["exclusive_fields", `${place}.url`]]);
    expect(await problemsOf(withCover({ at_ms: 60_000 }))).toEqual([["cover_invalid", `${place}.at_ms`]]);
    expect(await problemsOf(withCover({ url: clip.url }))).toEqual([["media_type_mismatch", `${place}.url`]]);
    expect(await problemsOf(withCover({ at_ms: -1 }))).toEqual([["out_of_range", `${place}.at_ms`]]);
    expect(await problemsOf(withCover({ at_ms: 1 }, picture.url, "image"))).toContainEqual(["cover_invalid", place]);
    const square = await uploadFile(caller, await createUniqueFile("square.png"));
    expect(await problemsOf(withCover({ url: square.url }))).toEqual([["cover_invalid", `${place}.url`]]);
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
