import { beforeEach, describe, test, vi } from "vitest";
import { bookOf, settings } from "./help.ts";
import { person, type XPerson } from "./x-person.ts";

vi.useFakeTimers({ toFake: ["Date"] });

const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);
let ada: XPerson;
let ben: XPerson;

interface Created {
  readonly data: { readonly id: string; readonly text: string; readonly edit_history_post_ids: readonly string[] };
}

const detailOf = async (answer: Response): Promise<string> => (await answer.json<{ detail: string }>()).detail;
const NOT_PERMITTED = "You are not permitted to perform this action.";

/** A fresh hour, so that no window is spent and no text is a duplicate. */
beforeEach(async () => {
  pass(3600);
  ada = await person("ada");
  ben = await person("ben");
});

describe("201", () => {
  test("gives id, text with short links, and stands in the book as it was sent", async ({ expect }) => {
    const text = "Notes & <more> at https://example.com/a?b=1 and example.org";
    const answer = await ada.publish({ text, reply_settings: "following", made_with_ai: true });
    expect(answer.status).toBe(201);
    const { data } = await answer.json<Created>();
    expect(data.id).toMatch(/^\d{19}$/);
    expect(data.edit_history_post_ids).toEqual([data.id]);
    expect(data.text).toMatch(/^Notes &amp; &lt;more&gt; at https:\/\/t\.co\/\w{10} and https:\/\/t\.co\/\w{10}$/);
    expect((await bookOf("x", "ada")).at(-1)).toEqual({
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

  test("ids rise with time", async ({ expect }) => {
    const ids: string[] = [];
    for (const text of ["one", "two", "three"]) {
      ids.push((await (await ada.publish({ text })).json<Created>()).data.id);
      pass(1);
    }
    expect(ids.toSorted()).toEqual(ids);
  });
});

describe("400", () => {
  test.for<[what: string, body: unknown]>([
    ["an unknown property", { text: "a", scheduled_at: "2030-01-01" }],
    ["an unknown property inside media", { text: "a", media: { media_ids: ["1"], alt: "x" } }],
    ["a reply_settings that is none", { text: "a", reply_settings: "everyone" }],
    ["reply_settings null", { text: "a", reply_settings: null }],
    ["a text that is no text", { text: 5 }],
    ["neither text nor media", {}],
    ["a blank text", { text: "   " }],
    ["a quote id that is no id", { text: "a", quote_tweet_id: "https://x.com/a/status/1" }],
    ["five media", { text: "a", media: { media_ids: ["1", "2", "3", "4", "5"] } }],
    ["no media", { text: "a", media: { media_ids: [] } }],
    ["media and a quote", { text: "a", media: { media_ids: ["1"] }, quote_tweet_id: "1" }],
    ["a poll and a quote", { text: "a", poll: { options: ["a", "b"], duration_minutes: 60 }, quote_tweet_id: "1" }],
    ["a byte order mark in the text", { text: "a\uFEFFb" }],
    ["an unpaired surrogate in the text", { text: "a\uD800b" }],
    ["a list", []],
  ])("for %s", async ([, body], { expect }) => {
    const before = (await bookOf("x")).length;
    const answer = await ada.publish(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ type: "https://api.x.com/2/problems/invalid-request" });
    expect(await bookOf("x")).toHaveLength(before);
  });
});

describe("403", () => {
  test("the weighted length: 280 without Premium, 25,000 with it", async ({ expect }) => {
    const url = "https://example.com/a/very/long/address/that/counts/only/twenty/three";
    expect((await ben.publish({ text: "a".repeat(280) })).status).toBe(201);
    expect((await ben.publish({ text: `${"b".repeat(256)} ${url}` })).status).toBe(201);
    expect((await ben.publish({ text: "字".repeat(140) })).status).toBe(201);
    for (const text of ["a".repeat(281), `${"b".repeat(257)} ${url}`, "字".repeat(141)]) {
      const answer = await ben.publish({ text });
      expect([answer.status, await detailOf(answer)]).toEqual([403, NOT_PERMITTED]);
    }
    expect((await ada.publish({ text: "c".repeat(25_000) })).status).toBe(201);
    expect((await ada.publish({ text: "c".repeat(25_001) })).status).toBe(403);
  });

  test("the same text of the same person again within minutes", async ({ expect }) => {
    expect((await ada.publish({ text: "café" })).status).toBe(201);
    const again = await ada.publish({ text: "cafe\u0301 " });
    expect(again.status).toBe(403);
    expect(await detailOf(again)).toBe("You are not allowed to create a Tweet with duplicate content.");
    expect((await ben.publish({ text: "café" })).status).toBe(201);
    pass(15 * 60);
    expect((await ada.publish({ text: "café" })).status).toBe(201);
  });

  test("of the same text at the same moment one is accepted", async ({ expect }) => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ada.publish({ text: "all at once" })));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 403, 403, 403]);
    expect((await bookOf("x", "ada")).filter((entry) => entry.text === "all at once")).toHaveLength(1);
  });

  test("more than one cashtag", async ({ expect }) => {
    expect((await ada.publish({ text: "$ABC up, $abc down" })).status).toBe(201);
    const answer = await ada.publish({ text: "$ABC and $XYZ" });
    expect([answer.status, await detailOf(answer)]).toEqual([403, expect.stringContaining("maximum of one cashtag")]);
  });

  test("a quote with self-serve access; Enterprise may", async ({ expect }) => {
    const body = { text: "look at this", quote_tweet_id: "1900000000000000001" };
    const refused = await ada.publish(body);
    expect([refused.status, await detailOf(refused)]).toEqual([
      403,
      "Quoting this post is not allowed because you have not been mentioned or are not part of the conversation thread of the post you are quoting.",
    ]);
    await settings("x", { access: "enterprise" });
    expect((await ada.publish(body)).status).toBe(201);
    expect((await bookOf("x", "ada")).at(-1)).toMatchObject({ options: { quote_tweet_id: "1900000000000000001" } });
    await settings("x", { access: "self_serve" });
  });

  test("a reply to somebody else's post", async ({ expect }) => {
    const { data } = await (await ben.publish({ text: "a thread begins" })).json<Created>();
    const reply = { text: "me too", reply: { in_reply_to_tweet_id: data.id } };
    expect((await ada.publish(reply)).status).toBe(403);
    expect((await ben.publish(reply)).status).toBe(201);
  });
});

describe("402 and 429", () => {
  test("credits: $0.015 a post, $0.200 with an address in it", async ({ expect }) => {
    await settings("x", { credits: 0.23 });
    const statuses: number[] = [];
    for (const text of ["cheap one", "see example.com", "cheap two", "see example.org"]) {
      statuses.push((await ada.publish({ text })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 402]);
    const answer = await ada.publish({ text: "nothing left" });
    expect(answer.status).toBe(402);
    expect(await answer.json()).toMatchObject({
      title: "CreditsDepleted",
      type: expect.stringMatching(/\/problems\/credits$/) as string,
    });
    await settings("x", { credits: 1 });
    expect((await ada.publish({ text: "recharged" })).status).toBe(201);
    await settings("x", { credits: null });
  });

  test("100 posts in a quarter of an hour", async ({ expect }) => {
    for (let sent = 0; sent < 100; sent += 1) {
      expect((await ben.publish({ text: `post number ${sent}` })).status).toBe(201);
    }
    const answer = await ben.publish({ text: "one too many" });
    expect(answer.status).toBe(429);
    expect(answer.headers.get("x-rate-limit-remaining")).toBe("0");
  });

  test("a quota per day, when the settings name one", async ({ expect }) => {
    await settings("x", { quota: 2 });
    await ada.publish({ text: "first of two" });
    const second = await ada.publish({ text: "second of two" });
    expect(second.headers.get("x-user-limit-24hour-remaining")).toBe("0");
    const third = await ada.publish({ text: "third of two" });
    expect([third.status, third.headers.get("x-user-limit-24hour-remaining")]).toEqual([429, "0"]);
    pass(86_400);
    expect((await (await person("ada")).publish({ text: "third of two" })).status).toBe(201);
    await settings("x", { quota: null });
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
  ])("%s: %i, and nothing happened", async ([marker, status], { expect }) => {
    const before = (await bookOf("x")).length;
    expect((await ada.publish({ text: `please ${marker}` })).status).toBe(status);
    expect(await bookOf("x")).toHaveLength(before);
  });

  test("#sim-503-after: 503, and it happened", async ({ expect }) => {
    expect((await ada.publish({ text: "please #sim-503-after" })).status).toBe(503);
    expect((await bookOf("x", "ada")).at(-1)).toMatchObject({ text: "please #sim-503-after" });
  });

  test("#sim-hang-after: no answer, and it happened", async ({ expect }) => {
    const call = ada.publish({ text: "please #sim-hang-after" }, AbortSignal.timeout(30));
    await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
    await vi.waitFor(async () =>
      expect((await bookOf("x", "ada")).at(-1)).toMatchObject({ text: "please #sim-hang-after" }),
    );
  });
});

describe("reading back", () => {
  interface Timeline {
    readonly data?: readonly Record<string, unknown>[];
    readonly meta: Record<string, unknown>;
  }
  const timeline = async (query: string): Promise<Timeline> =>
    (await ada.api("GET", `/2/users/2244994945/tweets?${query}`)).json<Timeline>();
  const since = () => `start_time=${new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, "Z")}`;

  test("the newest first, with addresses expanded, in either spelling of the fields", async ({ expect }) => {
    await ada.publish({ text: "older" });
    pass(1);
    await ada.publish({ text: "newer: https://example.com/x & y" });
    const old = await timeline(
      `${since()}&max_results=5&exclude=retweets&tweet.fields=created_at,text,entities,note_tweet`,
    );
    expect(old.data).toMatchObject([
      {
        text: expect.stringMatching(/^newer: https:\/\/t\.co\/\w+ &amp; y$/) as string,
        created_at: new Date().toISOString(),
        edit_history_tweet_ids: [expect.any(String)],
        entities: { urls: [{ start: 7, expanded_url: "https://example.com/x" }] },
      },
      { text: "older" },
    ]);
    expect(old.meta).toMatchObject({
      result_count: 2,
      newest_id: old.data?.[0]?.["id"],
      oldest_id: old.data?.[1]?.["id"],
    });
    const now = await timeline(`${since()}&post.fields=created_at,note_post`);
    expect(now.data?.[0]).toHaveProperty("edit_history_post_ids");
  });

  test("a long post is cut, and its note has the whole", async ({ expect }) => {
    const text = `start ${"long ".repeat(100)}end`;
    await ada.publish({ text });
    const { data } = await timeline(`${since()}&tweet.fields=note_tweet`);
    expect(data?.[0]).toMatchObject({ note_tweet: { text } });
    expect(String(data?.[0]?.["text"])).toMatch(/^start long .*…$/);
  });

  test("a post is invisible for as long as the settings say", async ({ expect }) => {
    await settings("x", { verify_lag_ms: 15_000 });
    const { data } = await (await ada.publish({ text: "not yet" })).json<Created>();
    expect((await timeline(since())).data).toBeUndefined();
    expect(await (await ada.api("GET", `/2/tweets/${data.id}`)).json()).toHaveProperty("errors");
    pass(15);
    expect((await timeline(since())).data).toHaveLength(1);
    await settings("x", { verify_lag_ms: 0 });
  });

  test("page by page", async ({ expect }) => {
    for (let at = 0; at < 7; at += 1) {
      pass(1);
      await ada.publish({ text: `page ${at}` });
    }
    const first = await timeline(`${since()}&max_results=5`);
    const second = await timeline(`${since()}&max_results=5&pagination_token=${String(first.meta["next_token"])}`);
    expect([...(first.data ?? []), ...(second.data ?? [])].map((post) => post["text"])).toEqual(
      [6, 5, 4, 3, 2, 1, 0].map((at) => `page ${at}`),
    );
    expect(second.meta).not.toHaveProperty("next_token");
  });

  test.for(["max_results=4", "max_results=101", "start_time=yesterday", "tweet.fields=mood", "mood=1"])(
    "refuses %s",
    async (query, { expect }) => {
      expect((await ada.api("GET", `/2/users/2244994945/tweets?${query}`)).status).toBe(400);
    },
  );

  test("what is missing is 200 with errors and no data", async ({ expect }) => {
    for (const path of ["/2/tweets/123", "/2/users/123/tweets"]) {
      const answer = await ada.api("GET", path);
      expect(answer.status).toBe(200);
      const body = await answer.json<{ data?: unknown; errors: { type: string }[] }>();
      expect(body.data).toBeUndefined();
      expect(body.errors[0]?.type).toMatch(/resource-not-found$/);
    }
  });
});

describe("deleting", () => {
  test("the author may, once; others may not; an unknown id is 404", async ({ expect }) => {
    const { data } = await (await ada.publish({ text: "to be deleted" })).json<Created>();
    const theirs = await ben.api("DELETE", `/2/tweets/${data.id}`);
    expect([theirs.status, await detailOf(theirs)]).toEqual([403, "You are not authorized to delete this Tweet."]);
    const mine = await ada.api("DELETE", `/2/tweets/${data.id}`);
    expect([mine.status, await mine.json()]).toEqual([200, { data: { deleted: true } }]);
    expect((await ada.api("DELETE", `/2/tweets/${data.id}`)).status).toBe(404);
    expect((await ada.api("DELETE", "/2/tweets/77")).status).toBe(404);
    expect(await (await ada.api("GET", `/2/tweets/${data.id}`)).json()).toHaveProperty("errors");
  });
});
