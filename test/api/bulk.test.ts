import { env, exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createUniqueFile, uploadFile } from "../journeys/journey-driver.ts";
import { callApi } from "../support/call-api.ts";
import { connectOneAccount, isoInDays } from "../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";
import { nextRepeatedTime } from "../support/repeated-time.ts";

const preview = (caller: ApiCaller, body: unknown) =>
  callApi(caller, { method: "POST", path: "/posts/bulk/preview", body });

const confirm = (caller: ApiCaller, token: unknown, headers = {}) =>
  callApi(caller, { method: "POST", path: "/posts/bulk/confirm", body: { confirmation_token: token }, headers });

async function countPosts(caller: ApiCaller): Promise<number> {
  const { body } = await callApi(caller, { method: "GET", path: "/posts" });
  return body.pagination.total;
}

const postOf = (accountId: string, caption: string, days = 1) => ({
  caption,
  scheduled_at: isoInDays(days),
  account_ids: [accountId],
});

describe("a bulk preview", () => {
  test("shows every post as it would be published, and its token schedules them all", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { url } = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const posts = [postOf(account.id, "One", 1), { ...postOf(account.id, "Two", 2), media_urls: [url], labels: ["a"] }];
    const previewed = await preview(caller, { posts });
    expect(previewed).toMatchObject({
      status: 200,
      body: {
        preview: {
          action: "bulk",
          posts: [
            { row: 1, problems: [], preview: { caption: "One", scheduled_at: posts[0]?.scheduled_at } },
            { row: 2, problems: [], preview: { caption: "Two", post_type: "image", labels: ["a"] } },
          ],
          plan_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        expires_in: 300,
      },
    });
    expect(await countPosts(caller)).toBe(0);
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const confirmed = await confirm(caller, previewed.body.confirmation_token, headers);
    expect(confirmed).toMatchObject({
      status: 200,
      body: {
        posts: previewed.body.preview.posts.map((post: { row: number; preview: Record<string, unknown> }) => ({
          row: post.row,
          scheduled_at: post.preview["scheduled_at"],
          plan_hash: post.preview["plan_hash"],
        })),
        plan_hash: previewed.body.preview.plan_hash,
      },
    });
    expect((await confirm(caller, previewed.body.confirmation_token, headers)).body).toEqual(confirmed.body);
    const [, second] = confirmed.body.posts;
    const read = await callApi(caller, { method: "GET", path: `/posts/${second.id}` });
    expect(read.body.post).toMatchObject({
      status: "scheduled",
      caption: "Two",
      labels: ["a"],
      plan_hash: second.plan_hash,
    });
    expect(read.body.post.media_items).toHaveLength(1);
    expect((await confirm(caller, previewed.body.confirmation_token)).body.code).toBe("token_already_used");
    expect(await countPosts(caller)).toBe(2);
  });

  test("is refused with the problems of every post and their rows, also of those that cannot be read", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const posts = [
      postOf(account.id, "Good"),
      postOf(crypto.randomUUID(), "No account"),
      { ...postOf(account.id, "No time"), scheduled_at: "soon" },
      { ...postOf(account.id, "Elsewhere"), media_urls: ["https://images.example.net/a.jpg"] },
      "no post",
    ];
    const refused = await preview(caller, { posts });
    expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(refused.body.details).toEqual([
      expect.objectContaining({ row: 2, code: "account_not_found", param: "account_ids[0]" }),
      expect.objectContaining({ row: 3, code: "invalid_format", param: "scheduled_at" }),
      // Nothing is fetched for a request that is refused anyway.
      expect.objectContaining({ row: 5, code: "wrong_type" }),
    ]);

    const skipped = await preview(caller, { posts, skip_invalid: true });
    expect(skipped.status).toBe(200);
    expect(skipped.body.preview.posts.map((post: { problems: unknown[] }) => post.problems.length)).toEqual([
      0, 1, 1, 1, 1,
    ]);
    const confirmed = await confirm(caller, skipped.body.confirmation_token);
    expect(confirmed.body.posts).toEqual([expect.objectContaining({ row: 1 })]);
    expect(await countPosts(caller)).toBe(1);
  });

  test("no post that can be read: the problems of each row and no token", async ({ expect }) => {
    const answer = await preview(await createCaller(), { posts: ["", {}], skip_invalid: true });
    expect(answer).toMatchObject({
      status: 200,
      body: { confirmation_token: null, preview: { posts: [{ row: 1 }, { row: 2 }] } },
    });
  });

  test("has no token when no post is good", async ({ expect }) => {
    const caller = await createCaller();
    const { status, body } = await preview(caller, {
      posts: [postOf(crypto.randomUUID(), "No account"), {}],
      skip_invalid: true,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ preview: { plan_hash: null }, confirmation_token: null, expires_at: null });
  });

  test("a member that nothing reads is warned of in its row", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await connectOneAccount(caller);
    const post = { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [id] };
    const { body } = await callApi(caller, {
      method: "POST",
      path: "/posts/bulk/preview",
      body: { posts: [post, { ...post, caption: "Other", lables: ["a"] }] },
    });
    const [first, second] = body.preview.posts;
    expect(first.preview.warnings).toEqual([]);
    expect(second.preview.warnings).toMatchObject([
      { code: "unknown_member", message: expect.stringContaining("do you mean labels?") },
    ]);
  });

  test("compares the posts with each other: equal texts are warned of", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { body } = await preview(caller, { posts: [postOf(account.id, "Same"), postOf(account.id, "Same")] });
    expect(
      body.preview.posts.map((post: { preview: { targets: [{ warnings: { code: string }[] }] } }) =>
        post.preview.targets[0].warnings.map(({ code }) => code),
      ),
    ).toEqual([[], ["duplicate_text"]]);
    expect(body.preview.posts[1].preview.targets[0].warnings[0].message).toContain("has the same text in row 1 at ");
  });

  test("takes times on the clock of a zone, with the warning of one that comes twice", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { timeZone, wall, first } = nextRepeatedTime();
    const post = { ...postOf(account.id, "Twice"), scheduled_at: wall, time_zone: timeZone };
    const { body } = await preview(caller, { posts: [post] });
    expect(body.preview.posts[0].preview).toMatchObject({
      scheduled_at: first,
      warnings: [{ code: "local_time_ambiguous" }],
    });
  });

  test("refuses the post with which a daily cap is exceeded", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller, "instagram");
    const { url } = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const posts = Array.from({ length: 100 }, (_, index) => ({
      ...postOf(account.id, `Post ${index}`),
      media_urls: [url],
    }));
    const [first] = posts;
    const earlier = await preview(caller, { posts: [first] });
    await confirm(caller, earlier.body.confirmation_token);
    const { status, body } = await preview(caller, { posts });
    expect(status).toBe(400);
    expect(body.details[0]).toMatchObject({ code: "daily_cap_reached", param: "scheduled_at" });
    expect(body.details[0].row).toBe(body.details[0].limit);
  });

  test("takes 1 to 100 posts, and a token of another kind is refused", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const post = postOf(account.id, "Hello");
    for (const posts of [[], Array.from({ length: 101 }, () => post), "posts"]) {
      expect(await preview(caller, { posts })).toMatchObject({ status: 400, body: { param: "posts" } });
    }
    const single = await callApi(caller, { method: "POST", path: "/posts/preview", body: post });
    expect((await confirm(caller, single.body.confirmation_token)).body.code).toBe("invalid_confirmation_token");
    const bulk = await preview(caller, { posts: [post] });
    const other = await callApi(caller, {
      method: "POST",
      path: "/posts/confirm",
      body: { confirmation_token: bulk.body.confirmation_token },
    });
    expect(other.body.code).toBe("invalid_confirmation_token");
  });

  describe("of a table", () => {
    const send = (caller: ApiCaller, text: string, query = "", headers = {}) =>
      callApi(caller, {
        method: "POST",
        path: `/posts/bulk/preview${query}`,
        body: text,
        headers: { "content-type": "text/csv; charset=utf-8", ...headers },
      });

    test("takes usernames, and names the choices where several accounts have one", async ({ expect }) => {
      const caller = await createCaller();
      const [x, threads] = [await connectOneAccount(caller), await connectOneAccount(caller, "threads")];
      await env.DB.prepare("UPDATE accounts SET username = 'kiln' WHERE id IN (?1, ?2)").bind(x.id, threads.id).run();
      const at = isoInDays(1);
      const { body } = await send(
        caller,
        `caption,scheduled_at,accounts\nOne,${at},threads/kiln\nTwo,${at},kiln\nThree,${at},pot\n`,
        "?skip_invalid=true",
      );
      expect(body.preview.posts).toMatchObject([
        { row: 1, problems: [], preview: { targets: [{ account_id: threads.id }] } },
        {
          row: 2,
          problems: [
            {
              code: "account_ambiguous",
              param: "accounts[0]",
              message: "the username kiln belongs to 2 accounts: write x/kiln or threads/kiln",
            },
          ],
        },
        { row: 3, problems: [{ code: "account_not_found", param: "accounts[0]" }] },
      ]);
    });

    test("is that of the same posts as JSON, with the options of its columns", async ({ expect }) => {
      const caller = await createCaller();
      const [x, threads] = [await connectOneAccount(caller), await connectOneAccount(caller, "threads")];
      const at = isoInDays(1);
      const table = `caption,scheduled_at,account_ids,labels,x.reply_settings\n"One,\ntwo",${at},${x.id}|${threads.id},a|b,following\nTwo,${at},${x.id},,\n`;
      const { status, body } = await send(caller, table);
      expect(status).toBe(200);
      expect(body.preview.posts).toMatchObject([
        {
          row: 1,
          problems: [],
          preview: {
            caption: "One,\ntwo",
            labels: ["a", "b"],
            targets: [{ platform_options: { reply_settings: "following" } }, { platform: "threads" }],
          },
        },
        { row: 2, preview: { targets: [{ platform_options: { reply_settings: null } }] } },
      ]);
      const json = await preview(caller, {
        posts: [
          {
            caption: "One,\ntwo",
            scheduled_at: at,
            labels: ["a", "b"],
            targets: [
              { account_id: x.id, platform_options: { reply_settings: "following" } },
              { account_id: threads.id },
            ],
          },
          { caption: "Two", scheduled_at: at, account_ids: [x.id] },
        ],
      });
      expect(body.preview.plan_hash).toBe(json.body.preview.plan_hash);
      expect((await confirm(caller, body.confirmation_token)).body.posts).toHaveLength(2);
    });

    test("of a hundred posts on free slots, each at the next one", async ({ expect }) => {
      const caller = await createCaller();
      const account = await connectOneAccount(caller);
      const slots = [0, 1, 2, 3, 4, 5, 6].flatMap((weekday) =>
        ["09:00", "12:00", "17:30"].map((time) => ({ weekday, time })),
      );
      await callApi(caller, { method: "PUT", path: "/schedule/slots", body: { time_zone: "UTC", slots } });
      const at = isoInDays(1);
      const rows = (count: number) =>
        Array.from({ length: count }, (_, index) => `"Row ${index}, ""quoted""\nand broken";${at};next;${account.id}`);
      const table = (count: number) => `\uFEFFcaption;scheduled_at;slot;account_ids\r\n${rows(count).join("\r\n")}\r\n`;
      const { status, body } = await send(caller, table(100));
      expect(status).toBe(200);
      const times: string[] = body.preview.posts.map(
        (row: { preview: { scheduled_at: string } }) => row.preview.scheduled_at,
      );
      expect(new Set(times).size).toBe(100);
      expect(times).toEqual(times.toSorted());
      expect(times.every((time) => /T(?:09:00|12:00|17:30):00\.000Z$/.test(time))).toBe(true);
      const confirmed = await confirm(caller, body.confirmation_token);
      expect(confirmed.body.posts.map((post: { scheduled_at: string }) => post.scheduled_at)).toEqual(times);
      const tooMany = await send(caller, table(101));
      expect(tooMany.body.details).toMatchObject([{ code: "out_of_range", param: "posts", limit: 100, actual: 101 }]);
    });

    test("goes on where the part before ended, and says how many posts there are", async ({ expect }) => {
      const caller = await createCaller();
      const { id } = await connectOneAccount(caller, "threads");
      const at = isoInDays(1);
      const table = `caption,scheduled_at,account_ids\n${Array.from({ length: 101 }, (_, index) => `Post ${index + 1},${at},${id}`).join("\n")}\n`;
      const whole = await send(caller, table);
      expect(whole.body.error).toContain("the table has 101 posts, and one preview takes 100");
      const first = await send(caller, table, "?from_row=1");
      expect(first.body.preview).toMatchObject({ next_row: 101 });
      expect(first.body.preview.posts).toHaveLength(100);
      const { body } = await send(caller, table, "?from_row=101");
      expect(body.preview).toMatchObject({ next_row: null, posts: [{ row: 101, preview: { caption: "Post 101" } }] });
      expect((await confirm(caller, body.confirmation_token)).body.posts).toMatchObject([{ row: 101 }]);
      expect((await send(caller, table, "?from_row=0")).body).toMatchObject({ param: "from_row" });
    });

    test("may have the type that browsers and spreadsheets give it", async ({ expect }) => {
      const caller = await createCaller();
      const { id } = await connectOneAccount(caller);
      const day = isoInDays(20).slice(0, 10);
      const table = `caption\tscheduled_at\ttime_zone\taccount_ids\t\nHello\t${day} 18:00\tUTC\t${id}\t\n`;
      for (const type of ["text/tab-separated-values", "application/vnd.ms-excel"]) {
        const { status, body } = await send(caller, table, "", { "content-type": type });
        expect(status, JSON.stringify(body)).toBe(200);
        expect(body.preview.posts).toMatchObject([{ preview: { scheduled_at: `${day}T18:00:00.000Z` } }]);
      }
    });

    test("is refused with the faults of every row, which skip_invalid leaves out", async ({ expect }) => {
      const caller = await createCaller();
      const account = await connectOneAccount(caller);
      const at = isoInDays(1);
      const lines = [
        "caption,scheduled_at,account_ids,youtube.title",
        `Good,${at},${account.id},`,
        `Too, many,${at},${account.id},`,
        `No time,soon,${account.id},`,
        `Of no use,${at},${account.id},Title`,
        `,${at},${account.id},`,
      ];
      const refused = await send(caller, lines.join("\r\n"));
      expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
      const problems = [
        [2, "csv_row_invalid", undefined],
        [3, "invalid_format", "scheduled_at"],
        [4, "targets_required", "youtube.title"],
        [5, "required", "caption"],
      ];
      expect(refused.body.details.map(({ row, code, param }: Record<string, unknown>) => [row, code, param])).toEqual(
        problems,
      );
      const skipped = await send(caller, lines.join("\r\n"), "?skip_invalid=true");
      expect(skipped.status).toBe(200);
      expect((await confirm(caller, skipped.body.confirmation_token)).body.posts).toMatchObject([{ row: 1 }]);
      const columns = await send(caller, `caption,when\nHello,${at}`);
      expect(columns.body.details.map(({ code }: { code: string }) => code)).toEqual([
        "csv_header_invalid",
        "csv_header_invalid",
      ]);
      expect((await send(caller, "caption", "?skip_invalid=yes")).body).toMatchObject({ param: "skip_invalid" });
    });

    test("must be text in UTF-8 of at most 1 MiB, and no other operation takes one", async ({ expect }) => {
      const caller = await createCaller();
      const send8 = async (body: Uint8Array<ArrayBuffer>) =>
        await exports.default.fetch(
          new Request(`${ORIGIN}/v1/posts/bulk/preview`, {
            method: "POST",
            headers: { authorization: `Bearer ${caller.key}`, "content-type": "text/csv" },
            body,
          }),
        );
      expect((await send8(new Uint8Array([0x63, 0xe9]))).status).toBe(400);
      expect((await send8(new Uint8Array(1024 ** 2).fill(0x61))).status).toBe(400);
      expect((await send8(new Uint8Array(1024 ** 2 + 1).fill(0x61))).status).toBe(413);
      expect((await send8(new Uint8Array([0x63, 0]))).status).toBe(400);
      const other = await callApi(caller, {
        method: "POST",
        path: "/posts/preview",
        body: "caption\nHello",
        headers: { "content-type": "text/csv" },
      });
      expect(other.status).toBe(415);
    });

    test("with an Idempotency-Key is another call when the query is another", async ({ expect }) => {
      const caller = await createCaller();
      const account = await connectOneAccount(caller);
      const headers = { "idempotency-key": crypto.randomUUID() };
      const table = `caption,scheduled_at,account_ids\nHello,${isoInDays(1)},${account.id}\n`;
      const first = await send(caller, table, "", headers);
      expect((await send(caller, table, "", headers)).body).toEqual(first.body);
      expect((await send(caller, table, "?skip_invalid=true", headers)).body.code).toBe("idempotency_key_reused");
    });
  });
});
