import { describe, test } from "vitest";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createAnotherKey, createCaller } from "../../support/create-caller.ts";
import { nextRepeatedTime } from "../../support/repeated-time.ts";

const send = (caller: ApiCaller, method: string, path: string, body?: unknown, headers = {}) =>
  callApi(caller, { method, path: `/drafts${path}`, ...(body !== undefined && { body }), headers });
const create = async (caller: ApiCaller, body: unknown) => (await send(caller, "POST", "", body)).body.draft;
const codesOf = (problems: readonly { param?: string; code: string }[]) =>
  problems.map(({ param, code }) => `${code} ${param}`).toSorted();

describe("a draft", () => {
  test("keeps what is given as it was sent, and tells what is missing or malformed", async ({ expect }) => {
    const caller = await createCaller();
    const body = { caption: "Half", scheduled_at: "tomorrow", platforms: ["nowhere"], labels: ["a"], unknown: 1 };
    const created = await send(caller, "POST", "", body);
    const { unknown: _, ...content } = body;
    expect(created).toMatchObject({ status: 201, body: { draft: { version: 1, content } } });
    expect(created.body.draft.content).toEqual(content);
    expect(codesOf(created.body.draft.problems)).toEqual(["invalid_format scheduled_at", "invalid_value platforms[0]"]);
    expect(await send(caller, "GET", `/${created.body.draft.id}`)).toMatchObject({ status: 200, body: created.body });
    const empty = await create(caller, { caption: null });
    expect(empty.content).toEqual({});
    expect(codesOf(empty.problems)).toEqual(["required caption", "required scheduled_at"]);
  });

  test("is in the list with the first words, what was changed last first", async ({ expect }) => {
    const caller = await createCaller();
    const first = await create(caller, { caption: "x".repeat(200) });
    const second = await create(caller, { caption: ["no text"] });
    await send(caller, "PATCH", `/${first.id}`, { version: 1, notes: "Later" });
    const list = await send(caller, "GET", "");
    const rows = list.body.drafts as { id: string; caption: string | null }[];
    expect(new Map(rows.map(({ id, caption }) => [id, caption]))).toEqual(
      new Map([
        [first.id, "x".repeat(140)],
        [second.id, null],
      ]),
    );
    expect((await send(caller, "GET", "?limit=1")).body).toMatchObject({ drafts: [{}], has_more: true });
    expect((await send(caller, "GET", "?limit=1&offset=1")).body).toMatchObject({ drafts: [{}], has_more: false });
    const posts = await callApi(caller, { method: "GET", path: "/posts" });
    expect(posts.body.pagination.total).toBe(0);
  });

  test("is changed member by member, and not on top of a change that its author has not seen", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await create(caller, { caption: "One", notes: "For Grace" });
    const changed = await send(caller, "PATCH", `/${id}`, { version: 1, caption: "Two", notes: null, post_type: 7 });
    expect(changed).toMatchObject({ status: 200, body: { draft: { version: 2 } } });
    expect(changed.body.draft.content).toEqual({ caption: "Two", post_type: 7 });
    const stale = await send(caller, "PATCH", `/${id}`, { version: 1, caption: "Three" });
    expect(stale).toMatchObject({ status: 400, body: { code: "draft_changed", param: "version" } });
    expect(stale.body.error).toContain("version 2");
    const together = await Promise.all(
      ["a", "b", "c"].map((caption) => send(caller, "PATCH", `/${id}`, { version: 2, caption })),
    );
    expect(together.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const read = await send(caller, "GET", `/${id}`);
    expect(read.body.draft.version).toBe(3);
    for (const [body, code] of [
      [{ version: 3 }, "no_changes"],
      [{ caption: "No version" }, "required"],
      [{ version: "3", caption: [] }, "wrong_type"],
    ] as const) {
      const refused = await send(caller, "PATCH", `/${id}`, body);
      expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed", details: [{ code }] } });
    }
  });

  test("is deleted with `confirm: true` only", async ({ expect }) => {
    const caller = await createCaller();
    const { id } = await create(caller, {});
    expect((await send(caller, "DELETE", `/${id}`, {})).body.code).toBe("confirmation_required");
    expect(await send(caller, "DELETE", `/${id}`, { confirm: true })).toMatchObject({
      status: 200,
      body: { id, deleted: true },
    });
    expect((await send(caller, "GET", `/${id}`)).status).toBe(404);
    expect((await send(caller, "DELETE", `/${id}`, { confirm: true })).status).toBe(404);
  });

  test("has at most 256 KiB, also after a change", async ({ expect }) => {
    const caller = await createCaller();
    const refusal = { status: 400, body: { details: [{ code: "out_of_range", limit: 262_144 }] } };
    const half = { caption: "x".repeat(130_000) };
    expect(await send(caller, "POST", "", { ...half, notes: "y".repeat(140_000) })).toMatchObject(refusal);
    const { id } = await create(caller, half);
    expect(await send(caller, "PATCH", `/${id}`, { version: 1, notes: "y".repeat(140_000) })).toMatchObject(refusal);
  });

  test("is made once for an idempotency key, also when its answer is large", async ({ expect }) => {
    const caller = await createCaller();
    const key = { "idempotency-key": crypto.randomUUID() };
    const body = { caption: "x".repeat(20_000) };
    const [first, second] = [await send(caller, "POST", "", body, key), await send(caller, "POST", "", body, key)];
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect((await send(caller, "GET", "")).body.drafts).toHaveLength(1);
  });

  test("needs the scopes of posts, and is nobody else's", async ({ expect }) => {
    const caller = await createCaller();
    const reader = await createAnotherKey(caller, ["posts:read"]);
    const { id } = await create(caller, { caption: "Mine" });
    expect((await send(reader, "GET", `/${id}`)).status).toBe(200);
    expect((await send(reader, "POST", "", {})).body.code).toBe("insufficient_scope");
    const stranger = await createCaller();
    for (const [method, path, body] of [
      ["GET", `/${id}`, undefined],
      ["PATCH", `/${id}`, { version: 1, caption: "Theirs" }],
      ["DELETE", `/${id}`, { confirm: true }],
      ["POST", `/${id}/preview`, {}],
    ] as const) {
      expect((await send(stranger, method, path, body)).status, `${method} ${path}`).toBe(404);
    }
    expect((await send(stranger, "GET", "")).body.drafts).toEqual([]);
    expect((await send(caller, "GET", `/${id}`)).body.draft.version).toBe(1);
  });
});

describe("the preview of a draft", () => {
  test("is that of a post, with the members of the body in place of the draft's", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { id } = await create(caller, { caption: "Draft", account_ids: [account.id], scheduled_at: "soon" });
    const scheduledAt = isoInDays(1);
    const previewed = await send(caller, "POST", `/${id}/preview`, { scheduled_at: scheduledAt });
    expect(previewed).toMatchObject({
      status: 200,
      body: { preview: { caption: "Draft", scheduled_at: scheduledAt } },
    });
    const token = { confirmation_token: previewed.body.confirmation_token };
    expect((await send(caller, "GET", `/${id}`)).body.draft).toMatchObject({
      version: 1,
      content: { scheduled_at: "soon" },
    });
    const confirmed = await callApi(caller, { method: "POST", path: "/posts/confirm", body: token });
    expect(confirmed).toMatchObject({ status: 200, body: { posts: [{ caption: "Draft" }] } });
    expect((await send(caller, "GET", `/${id}`)).status).toBe(404);
  });

  test("reads a time on the clock of the draft's zone, with the warning of one that comes twice", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { timeZone, wall, first } = nextRepeatedTime();
    const content = { caption: "Draft", account_ids: [account.id], scheduled_at: wall };
    const draft = await create(caller, content);
    expect(codesOf(draft.problems)).toEqual(["invalid_format scheduled_at"]);
    const previewed = await send(caller, "POST", `/${draft.id}/preview`, { time_zone: timeZone });
    expect(previewed.body.preview).toMatchObject({
      scheduled_at: first,
      warnings: [{ code: "local_time_ambiguous" }],
    });
  });

  test("refuses with the problems of form and of meaning together", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const { id } = await create(caller, { caption: "Hello", account_ids: [account.id, crypto.randomUUID()] });
    const refused = await send(caller, "POST", `/${id}/preview`, { labels: "none" });
    expect(refused).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    expect(codesOf(refused.body.details)).toEqual([
      "account_not_found account_ids[1]",
      "required scheduled_at",
      "wrong_type labels",
    ]);
  });
});
