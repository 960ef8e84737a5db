import { beforeEach, describe, test, vi } from "vitest";
import { publishedPosts, changeSettings } from "./sandbox-api.ts";
import { createClient, type XClient } from "./x-client.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const advanceSeconds = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let ada: XClient;
let ben: XClient;

interface Created {
  readonly data: { readonly id: string; readonly text: string; readonly edit_history_post_ids: readonly string[] };
}

const detailOf = async (response: Response): Promise<string> => (await response.json<{ detail: string }>()).detail;
const NOT_PERMITTED = "You are not permitted to perform this action.";
/** gr2m/twitter-together has recorded this answer to a quote. */
const NOT_MENTIONED = {
  title: "Authorization Error",
  detail: "You can only reply to or quote posts where you are mentioned or are the author.",
  type: "https://api.x.com/2/problems/not-authorized-for-resource",
  status: 403,
};

await changeSettings("x", { field_names: "both" });

/** Each test starts an hour later, so that no rate limit is used up and no text is a duplicate. */
beforeEach(async () => {
  advanceSeconds(3600);
  ada = await createClient("ada");
  ben = await createClient("ben");
});

describe("201", () => {
  test("returns id and text with short links, and the post is published as it was sent", async ({ expect }) => {
    const text = "Notes & <more> at https://example.com/a?b=1 and example.org";
    const response = await ada.createPost({ text, reply_settings: "following", made_with_ai: true });
    expect(response.status).toBe(201);
    const { data } = await response.json<Created>();
    expect(data.id).toMatch(/^\d{19}$/);
    expect(data.edit_history_post_ids).toEqual([data.id]);
    expect(data.text).toMatch(/^Notes &amp; &lt;more&gt; at https:\/\/t\.co\/\w{10} and https:\/\/t\.co\/\w{10}$/);
    expect((await publishedPosts("x", "ada")).at(-1)).toEqual({
      id: data.id,
      url: `https://x.com/ada_example/status/${data.id}`,
      account: "2244994945",
      kind: "text",
      text,
      title: null,
      media: [],
      options: { reply_settings: "following", made_with_ai: true },
      accepted_at: new Date().toISOString(),
    });
  });

  test("ids increase with time", async ({ expect }) => {
    const ids: string[] = [];
    for (const text of ["one", "two", "three"]) {
      ids.push((await (await ada.createPost({ text })).json<Created>()).data.id);
      advanceSeconds(1);
    }
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe("400", () => {
  test.for<[what: string, body: unknown]>([
    ["an unknown property", { text: "a", scheduled_at: "2030-01-01" }],
    ["an unknown property inside media", { text: "a", media: { media_ids: ["1"], alt: "x" } }],
    ["an unknown reply_settings", { text: "a", reply_settings: "everyone" }],
    ["reply_settings null", { text: "a", reply_settings: null }],
    ["a text that is not a string", { text: 5 }],
    ["neither text nor media", {}],
    ["a blank text", { text: "   " }],
    ["an invalid quote id", { text: "a", quote_tweet_id: "https://x.com/a/status/1" }],
    ["five media", { text: "a", media: { media_ids: ["1", "2", "3", "4", "5"] } }],
    ["no media", { text: "a", media: { media_ids: [] } }],
    ["media and a quote", { text: "a", media: { media_ids: ["1"] }, quote_tweet_id: "1" }],
    ["a poll and a quote", { text: "a", poll: { options: ["a", "b"], duration_minutes: 60 }, quote_tweet_id: "1" }],
    ["a byte order mark in the text", { text: "a\uFEFFb" }],
    ["an unpaired surrogate in the text", { text: "a\uD800b" }],
    ["a list", []],
  ])("for %s", async ([, body], { expect }) => {
    const before = (await publishedPosts("x")).length;
    const response = await ada.createPost(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: "https://api.x.com/2/problems/invalid-request" });
    expect(await publishedPosts("x")).toHaveLength(before);
  });
});

describe("403", () => {
  test("a weighted length over 280 without Premium, over 25,000 with it", async ({ expect }) => {
    const url = "https://example.com/a/very/long/address/that/counts/only/twenty/three";
    expect((await ben.createPost({ text: "a".repeat(280) })).status).toBe(201);
    expect((await ben.createPost({ text: `${"b".repeat(256)} ${url}` })).status).toBe(201);
    expect((await ben.createPost({ text: "字".repeat(140) })).status).toBe(201);
    for (const text of ["a".repeat(281), `${"b".repeat(257)} ${url}`, "字".repeat(141)]) {
      const response = await ben.createPost({ text });
      expect([response.status, await detailOf(response)]).toEqual([403, NOT_PERMITTED]);
    }
    expect((await ada.createPost({ text: "c".repeat(25_000) })).status).toBe(201);
    expect((await ada.createPost({ text: "c".repeat(25_001) })).status).toBe(403);
  });

  test("the same text of the same user again within twelve hours, or within those of a setting", async ({ expect }) => {
    expect((await ada.createPost({ text: "café" })).status).toBe(201);
    const again = await ada.createPost({ text: "cafe\u0301 " });
    expect(again.status).toBe(403);
    expect(await detailOf(again)).toBe("You are not allowed to create a Tweet with duplicate content.");
    expect((await ben.createPost({ text: "café" })).status).toBe(201);
    advanceSeconds(12 * 3600 - 60);
    // The first login's token has expired.
    ada = await createClient("ada");
    expect((await ada.createPost({ text: "café" })).status).toBe(403);
    advanceSeconds(60);
    expect((await ada.createPost({ text: "café" })).status).toBe(201);
    advanceSeconds(15 * 60);
    expect((await ada.createPost({ text: "café" })).status).toBe(403);
    await changeSettings("x", { duplicate_minutes: 15 });
    expect((await ada.createPost({ text: "café" })).status).toBe(201);
    await changeSettings("x", { duplicate_minutes: null });
  });

  test("concurrent posts of the same text, except one", async ({ expect }) => {
    const responses = await Promise.all([1, 2, 3, 4].map(() => ada.createPost({ text: "all at once" })));
    expect(responses.map((response) => response.status).toSorted((a, b) => a - b)).toEqual([201, 403, 403, 403]);
    expect((await publishedPosts("x", "ada")).filter((entry) => entry.text === "all at once")).toHaveLength(1);
  });

  test("more than one cashtag", async ({ expect }) => {
    expect((await ada.createPost({ text: "$ABC up, $abc down" })).status).toBe(201);
    const response = await ada.createPost({ text: "$ABC and $XYZ" });
    expect([response.status, await detailOf(response)]).toEqual([
      403,
      expect.stringContaining("maximum of one cashtag"),
    ]);
  });

  test("a quote with self-serve access, in either recorded wording, but not with Enterprise access", async ({
    expect,
  }) => {
    const body = { text: "look at this", quote_tweet_id: "1900000000000000001" };
    const refused = await ada.createPost(body);
    expect([refused.status, await refused.json()]).toEqual([403, NOT_MENTIONED]);
    await changeSettings("x", { quote_refusal: "older" });
    const older = await ada.createPost(body);
    expect([older.status, await detailOf(older)]).toEqual([
      403,
      "Quoting this post is not allowed because you have not been mentioned or are not part of the conversation thread of the post you are quoting.",
    ]);
    await changeSettings("x", { quote_refusal: null });
    await changeSettings("x", { access: "enterprise" });
    expect((await ada.createPost(body)).status).toBe(201);
    expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({
      options: { quote_tweet_id: "1900000000000000001" },
    });
    await changeSettings("x", { access: "self_serve" });
  });

  test("a reply to another user's post", async ({ expect }) => {
    const { data } = await (await ben.createPost({ text: "a thread begins" })).json<Created>();
    const reply = { text: "me too", reply: { in_reply_to_tweet_id: data.id } };
    const refused = await ada.createPost(reply);
    expect([refused.status, await refused.json()]).toEqual([403, NOT_MENTIONED]);
    expect((await ben.createPost(reply)).status).toBe(201);
  });
});

describe("402 and 429", () => {
  test("402: credits are used up, at $0.015 per post and $0.200 per post with a link", async ({ expect }) => {
    await changeSettings("x", { credits: 0.23 });
    const statuses: number[] = [];
    for (const text of ["cheap one", "see example.com", "cheap two", "see example.org"]) {
      statuses.push((await ada.createPost({ text })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 402]);
    const response = await ada.createPost({ text: "nothing left" });
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({
      title: "CreditsDepleted",
      type: expect.stringMatching(/\/problems\/credits$/) as string,
    });
    await changeSettings("x", { credits: 1 });
    expect((await ada.createPost({ text: "recharged" })).status).toBe(201);
    await changeSettings("x", { credits: null });
  });

  test("429: more than 100 posts in 15 minutes", async ({ expect }) => {
    for (let sent = 0; sent < 100; sent += 1) {
      expect((await ben.createPost({ text: `post number ${sent}` })).status).toBe(201);
    }
    const response = await ben.createPost({ text: "one too many" });
    expect(response.status).toBe(429);
    expect(response.headers.get("x-rate-limit-remaining")).toBe("0");
  });

  test("429: more posts per day than the quota in the settings", async ({ expect }) => {
    await changeSettings("x", { quota: 2 });
    await ada.createPost({ text: "first of two" });
    const second = await ada.createPost({ text: "second of two" });
    expect(second.headers.get("x-user-limit-24hour-remaining")).toBe("0");
    const third = await ada.createPost({ text: "third of two" });
    expect([third.status, third.headers.get("x-user-limit-24hour-remaining")]).toEqual([429, "0"]);
    advanceSeconds(86_400);
    expect((await (await createClient("ada")).createPost({ text: "third of two" })).status).toBe(201);
    await changeSettings("x", { quota: null });
  });
});

describe("markers in the text", () => {
  test.for<[marker: string, status: number]>([
    ["#sim-401", 401],
    ["#sim-402", 402],
    ["#sim-duplicate", 403],
    ["#sim-suspended", 403],
    ["#sim-429", 429],
    ["#sim-503-before", 503],
  ])("%s: %i, and nothing was published", async ([marker, status], { expect }) => {
    const before = (await publishedPosts("x")).length;
    expect((await ada.createPost({ text: `please ${marker}` })).status).toBe(status);
    expect(await publishedPosts("x")).toHaveLength(before);
  });

  test("#sim-503-after: 503, and the post was published", async ({ expect }) => {
    expect((await ada.createPost({ text: "please #sim-503-after" })).status).toBe(503);
    expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({ text: "please #sim-503-after" });
  });

  test("#sim-hang-after: no response, and the post was published", async ({ expect }) => {
    const call = ada.createPost({ text: "please #sim-hang-after" }, AbortSignal.timeout(30));
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
    await vi.waitFor(async () =>
      expect((await publishedPosts("x", "ada")).at(-1)).toMatchObject({ text: "please #sim-hang-after" }),
    );
  });
});

describe("reading back", () => {
  interface Timeline {
    readonly data?: readonly Record<string, unknown>[];
    readonly meta: Record<string, unknown>;
  }
  const timeline = async (query: string): Promise<Timeline> =>
    (await ada.callApi("GET", `/2/users/2244994945/tweets?${query}`)).json<Timeline>();
  const since = () => `start_time=${new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, "Z")}`;

  test("the newest first, with links expanded, with old and new field names", async ({ expect }) => {
    await ada.createPost({ text: "older" });
    advanceSeconds(1);
    await ada.createPost({ text: "newer: https://example.com/x & y" });
    const oldNames = await timeline(
      `${since()}&max_results=5&exclude=retweets&tweet.fields=created_at,text,entities,note_tweet`,
    );
    expect(oldNames.data).toMatchObject([
      {
        text: expect.stringMatching(/^newer: https:\/\/t\.co\/\w+ &amp; y$/) as string,
        created_at: new Date().toISOString(),
        edit_history_tweet_ids: [expect.any(String)],
        entities: { urls: [{ start: 7, expanded_url: "https://example.com/x" }] },
      },
      { text: "older" },
    ]);
    expect(oldNames.meta).toMatchObject({
      result_count: 2,
      newest_id: oldNames.data?.[0]?.["id"],
      oldest_id: oldNames.data?.[1]?.["id"],
    });
    const newNames = await timeline(`${since()}&post.fields=created_at,note_post`);
    expect(newNames.data?.[0]).toHaveProperty("edit_history_post_ids");
  });

  test.for([
    ["post", "tweet.fields=created_at", "post.fields=created_at,note_post"],
    ["tweet", "post.fields=created_at", "tweet.fields=created_at,note_tweet"],
  ] as const)(
    "the setting field_names: %s refuses the other spelling",
    async ([names, refused, accepted], { expect }) => {
      await changeSettings("x", { field_names: names });
      const read = async (query: string) => (await ada.callApi("GET", `/2/users/2244994945/tweets?${query}`)).status;
      expect([await read(refused), await read(accepted), await read("post.fields=referenced_tweets")]).toEqual([
        400, 200, 400,
      ]);
      await changeSettings("x", { field_names: "both" });
    },
  );

  test("a long post is truncated, and its note has the full text", async ({ expect }) => {
    const text = `start ${"long ".repeat(100)}end`;
    await ada.createPost({ text });
    const { data } = await timeline(`${since()}&tweet.fields=note_tweet`);
    expect(data?.[0]).toMatchObject({ note_tweet: { text } });
    expect(String(data?.[0]?.["text"])).toMatch(/^start long .*…$/);
  });

  test("a post is invisible for the delay in the settings", async ({ expect }) => {
    await changeSettings("x", { verify_lag_ms: 15_000 });
    const { data } = await (await ada.createPost({ text: "not yet" })).json<Created>();
    expect((await timeline(since())).data).toBeUndefined();
    expect(await (await ada.callApi("GET", `/2/tweets/${data.id}`)).json()).toHaveProperty("errors");
    advanceSeconds(15);
    expect((await timeline(since())).data).toHaveLength(1);
    await changeSettings("x", { verify_lag_ms: 0 });
  });

  test("page by page", async ({ expect }) => {
    for (let index = 0; index < 7; index += 1) {
      advanceSeconds(1);
      await ada.createPost({ text: `page ${index}` });
    }
    const first = await timeline(`${since()}&max_results=5`);
    const second = await timeline(`${since()}&max_results=5&pagination_token=${String(first.meta["next_token"])}`);
    expect([...(first.data ?? []), ...(second.data ?? [])].map((post) => post["text"])).toEqual(
      [6, 5, 4, 3, 2, 1, 0].map((index) => `page ${index}`),
    );
    expect(second.meta).not.toHaveProperty("next_token");
  });

  test.for(["max_results=4", "max_results=101", "start_time=yesterday", "tweet.fields=mood", "mood=1"])(
    "refuses %s",
    async (query, { expect }) => {
      expect((await ada.callApi("GET", `/2/users/2244994945/tweets?${query}`)).status).toBe(400);
    },
  );

  test("something missing is 200 with errors and no data", async ({ expect }) => {
    for (const path of ["/2/tweets/123", "/2/users/123/tweets"]) {
      const response = await ada.callApi("GET", path);
      expect(response.status).toBe(200);
      const body = await response.json<{ data?: unknown; errors: { type: string }[] }>();
      expect(body.data).toBeUndefined();
      expect(body.errors[0]?.type).toMatch(/resource-not-found$/);
    }
  });
});

describe("deleting", () => {
  test("only the author may delete, once; an unknown id is 404", async ({ expect }) => {
    const { data } = await (await ada.createPost({ text: "to be deleted" })).json<Created>();
    const byOther = await ben.callApi("DELETE", `/2/tweets/${data.id}`);
    expect([byOther.status, await detailOf(byOther)]).toEqual([403, "You are not authorized to delete this Tweet."]);
    const byAuthor = await ada.callApi("DELETE", `/2/tweets/${data.id}`);
    expect([byAuthor.status, await byAuthor.json()]).toEqual([200, { data: { deleted: true } }]);
    expect((await ada.callApi("DELETE", `/2/tweets/${data.id}`)).status).toBe(404);
    expect((await ada.callApi("DELETE", "/2/tweets/77")).status).toBe(404);
    expect(await (await ada.callApi("GET", `/2/tweets/${data.id}`)).json()).toHaveProperty("errors");
  });
});
