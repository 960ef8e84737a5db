import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const list = (caller: ApiCaller, query = "") => callApi(caller, { method: "GET", path: `/posts${query}` });

/** A caller with posts one, two and three days ahead. */
async function createCallerWithThreePosts() {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  const posts = [];
  for (const days of [2, 1, 3]) {
    posts.push(await scheduleTextPost(caller, account.id, { caption: `In ${days}`, scheduled_at: isoInDays(days) }));
  }
  return { caller, account, posts };
}

const captions = (response: Awaited<ReturnType<typeof list>>): readonly string[] =>
  response.body.posts.map((post: { caption: string }) => post.caption);

describe("200", () => {
  test("an empty page at first", async ({ expect }) => {
    const response = await list(await createCaller());
    expect(response).toMatchObject({
      status: 200,
      body: { posts: [], pagination: { limit: 50, offset: 0, total: 0, has_more: false, next_offset: null } },
    });
  });

  test("the posts that have the words, and how far the search has looked", async ({ expect }) => {
    const { caller } = await createCallerWithThreePosts();
    const found = await list(caller, "?q=IN");
    expect(captions(found)).toEqual(["In 3", "In 2", "In 1"]);
    const complete = { searched: 3, complete: true, next_from: null, next_until: null, archived_searched: false };
    expect(found.body.search).toEqual(complete);
    expect(captions(await list(caller, "?q=in&order=asc&limit=1"))).toEqual(["In 1"]);
    const none = await list(caller, "?q=in%204");
    expect(none.body).toMatchObject({ posts: [], pagination: { total: 0 }, search: complete });
    expect((await list(caller)).body).not.toHaveProperty("search");
  });

  test("upcoming posts, earliest first, with pages, both orders and summaries", async ({ expect }) => {
    const { caller } = await createCallerWithThreePosts();
    expect(captions(await list(caller))).toEqual(["In 1", "In 2", "In 3"]);
    expect(captions(await list(caller, "?order=desc"))).toEqual(["In 3", "In 2", "In 1"]);
    const page = await list(caller, "?limit=2&offset=1");
    expect(captions(page)).toEqual(["In 2", "In 3"]);
    expect(page.body.pagination).toEqual({ limit: 2, offset: 1, total: 3, has_more: false, next_offset: null });
    expect((await list(caller, "?limit=2")).body.pagination).toMatchObject({ has_more: true, next_offset: 2 });
    const summaries = await list(caller, "?fields=summary&limit=1");
    expect(summaries.body.posts[0]).toEqual({
      id: expect.any(String),
      status: "scheduled",
      scheduled_at: expect.any(String),
      caption: "In 1",
      post_type: "text",
      platforms: ["x"],
      target_count: 1,
      media_count: 0,
      external_id: null,
      labels: [],
    });
  });

  test("filters by status and by time: from is inclusive, until exclusive", async ({ expect }) => {
    const { caller, posts } = await createCallerWithThreePosts();
    const [second, first] = posts;
    const timeQuery = (name: string, instant = "") => `?${name}=${encodeURIComponent(instant)}`;
    expect(captions(await list(caller, "?status=scheduled"))).toHaveLength(3);
    expect(captions(await list(caller, "?status=failed"))).toEqual([]);
    expect(captions(await list(caller, timeQuery("from", second?.scheduled_at)))).toEqual(["In 2", "In 3"]);
    expect(captions(await list(caller, timeQuery("until", second?.scheduled_at)))).toEqual(["In 1"]);
    const between = `${timeQuery("from", first?.scheduled_at)}&until=${encodeURIComponent(second?.scheduled_at ?? "")}`;
    expect(captions(await list(caller, between))).toEqual(["In 1"]);
  });

  test("accepts offsets, lower-case letters and the first and last year", async ({ expect }) => {
    const caller = await createCaller();
    for (const from of [
      "2026-01-01T00:00:00%2B02:00",
      "2026-01-01t00:00:00.123456789z",
      "0000-01-01T00:00:00Z",
      "9999-12-31T23:59:59Z",
    ]) {
      expect((await list(caller, `?from=${from}`)).status).toBe(200);
    }
  });

  test("no posts of other users", async ({ expect }) => {
    await createCallerWithThreePosts();
    const response = await list(await createCaller(), "?include_past=true");
    expect(response.body.pagination.total).toBe(0);
  });

  test("unknown query parameters are ignored", async ({ expect }) => {
    expect((await list(await createCaller(), "?colour=red&__proto__=1&x=%00")).status).toBe(200);
  });

  test("a parameter that nothing reads is told, with the one that it most likely means", async ({ expect }) => {
    const caller = await createCaller();
    expect((await list(caller, "?status[]=failed&status%5B%5D=paused&limit=5&page=2")).body.warnings).toEqual([
      { code: "unknown_member", message: "status[] is not known here and ignored: do you mean status?" },
      { code: "unknown_member", message: "page is not known here and ignored" },
    ]);
    expect((await list(caller, "?status=failed")).body).not.toHaveProperty("warnings");
    expect((await list(caller, "?archived=true&stattus=failed")).body.warnings).toHaveLength(1);
  });

  test("the largest offset returns an empty page", async ({ expect }) => {
    const { caller } = await createCallerWithThreePosts();
    const response = await list(caller, `?offset=${Number.MAX_SAFE_INTEGER}`);
    expect(response.body).toMatchObject({ posts: [], pagination: { total: 3, has_more: false } });
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
    "q=",
    "q=%20",
    "q=".padEnd(103, "x"),
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
    const caller = await createCaller();
    const response = await list(caller, `?${query}`);
    const [name] = query.split("=");
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", param: name } });
  });

  test.for(["from", "until"])(
    "an offset of %s whose + is not encoded gets the hint to encode it",
    async (name, { expect }) => {
      const caller = await createCaller();
      const unencoded = await list(caller, `?${name}=2026-01-01T00:00:00+02:00`);
      expect(unencoded.body).toMatchObject({ param: name, error: expect.stringContaining("encode + as %2B") });
      const other = await list(caller, `?${name}=2026-01-01 00:00:00Z`);
      expect(other.body.error).not.toContain("%2B");
    },
  );

  test("names every problem", async ({ expect }) => {
    const response = await list(await createCaller(), "?limit=0&offset=-1&status=gone");
    expect(response.body.details.map(({ param }: { param: string }) => param)).toEqual(["limit", "offset", "status"]);
  });
});
