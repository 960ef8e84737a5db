import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, inDays, scheduleText } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const list = (caller: Caller, query = "") => call(caller, { method: "GET", path: `/posts${query}` });

/** A caller with posts one, two and three days ahead. */
async function withThree() {
  const caller = await newCaller();
  const account = await connectOne(caller);
  const posts = [];
  for (const days of [2, 1, 3]) {
    posts.push(await scheduleText(caller, account.id, { caption: `In ${days}`, scheduled_at: inDays(days) }));
  }
  return { caller, account, posts };
}

const captions = (answer: Awaited<ReturnType<typeof list>>): readonly string[] =>
  answer.body.posts.map((post: { caption: string }) => post.caption);

describe("200", () => {
  test("an empty page at first", async ({ expect }) => {
    const answer = await list(await newCaller());
    expect(answer).toMatchObject({
      status: 200,
      body: { posts: [], pagination: { limit: 50, offset: 0, total: 0, has_more: false } },
    });
  });

  test("what is to come, soonest first, in pages, in both orders, whole or in short", async ({ expect }) => {
    const { caller } = await withThree();
    expect(captions(await list(caller))).toEqual(["In 1", "In 2", "In 3"]);
    expect(captions(await list(caller, "?order=desc"))).toEqual(["In 3", "In 2", "In 1"]);
    const page = await list(caller, "?limit=2&offset=1");
    expect(captions(page)).toEqual(["In 2", "In 3"]);
    expect(page.body.pagination).toEqual({ limit: 2, offset: 1, total: 3, has_more: false });
    expect((await list(caller, "?limit=2")).body.pagination.has_more).toBe(true);
    const short = await list(caller, "?fields=summary&limit=1");
    expect(short.body.posts[0]).toEqual({
      id: expect.any(String),
      status: "scheduled",
      scheduled_at: expect.any(String),
      caption: "In 1",
      post_type: "text",
      platforms: ["x"],
      target_count: 1,
      media_count: 0,
    });
  });

  test("by status and by time: from is inside, until is not", async ({ expect }) => {
    const { caller, posts } = await withThree();
    const [second, first] = posts;
    const cut = (name: string, at = "") => `?${name}=${encodeURIComponent(at)}`;
    expect(captions(await list(caller, "?status=scheduled"))).toHaveLength(3);
    expect(captions(await list(caller, "?status=failed"))).toEqual([]);
    expect(captions(await list(caller, cut("from", second?.scheduled_at)))).toEqual(["In 2", "In 3"]);
    expect(captions(await list(caller, cut("until", second?.scheduled_at)))).toEqual(["In 1"]);
    const between = `${cut("from", first?.scheduled_at)}&until=${encodeURIComponent(second?.scheduled_at ?? "")}`;
    expect(captions(await list(caller, between))).toEqual(["In 1"]);
  });

  test("an offset, a lower-case letter and the ends of time are instants", async ({ expect }) => {
    const caller = await newCaller();
    for (const from of [
      "2026-01-01T00:00:00%2B02:00",
      "2026-01-01t00:00:00.123456789z",
      "0000-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
    ]) {
      expect((await list(caller, `?from=${from}`)).status).toBe(200);
    }
  });

  test("nobody else's posts", async ({ expect }) => {
    await withThree();
    const answer = await list(await newCaller(), "?include_past=true");
    expect(answer.body.pagination.total).toBe(0);
  });

  test("a query nobody knows is ignored", async ({ expect }) => {
    expect((await list(await newCaller(), "?colour=red&__proto__=1&x=%00")).status).toBe(200);
  });

  test("the largest offset is just an empty page", async ({ expect }) => {
    const { caller } = await withThree();
    const answer = await list(caller, `?offset=${Number.MAX_SAFE_INTEGER}`);
    expect(answer.body).toMatchObject({ posts: [], pagination: { total: 3, has_more: false } });
  });
});

describe("400", () => {
  test.for([
    "limit=0",
    "limit=201",
    "limit=-1",
    "limit=1e3",
    "limit=1.5",
    "limit=0x10",
    "limit=%2B5",
    "limit=05",
    "limit=",
    "limit=ten",
    "limit=9".padEnd(400, "9"),
    "limit=%00",
    "offset=-1",
    "offset=9007199254740992",
    "offset=null",
    "fields=all",
    "fields=",
    "order=random",
    "status=cancelled",
    "status=Scheduled",
    "from=2026-01-01",
    "from=2026-01-01T00:00:00",
    "from=2026-02-30T00:00:00Z",
    "from=2026-01-01T24:00:00Z",
    "from=2026-01-01T00:00:60Z",
    "from=2026-01-01T00:00:00+02:00",
    "from=%2B275760-09-13T00:00:00Z",
    "from=%2B275760-09-13T00:00:00.001Z",
    "from=1767225600000",
    "from=tomorrow",
    "until=",
    "include_past=1",
    "include_past=TRUE",
    "include_past=",
    "limit=1&limit=2",
    "from=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z",
  ])("?%s", async (query, { expect }) => {
    const caller = await newCaller();
    const answer = await list(caller, `?${query}`);
    const [name] = query.split("=");
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", param: name } });
  });

  test("every problem is named", async ({ expect }) => {
    const answer = await list(await newCaller(), "?limit=0&offset=-1&status=gone");
    expect(answer.body.details.map(({ param }: { param: string }) => param)).toEqual(["limit", "offset", "status"]);
  });
});
