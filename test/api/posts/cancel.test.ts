import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, scheduleText } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const cancel = (caller: Caller, id: string, body: unknown = { confirm: true }, headers = {}) =>
  call(caller, { method: "DELETE", path: `/posts/${id}`, body, headers });

async function withPost() {
  const caller = await newCaller();
  const post = await scheduleText(caller, (await connectOne(caller)).id);
  return { caller, post };
}

describe("200", () => {
  test("the post is listed no more and can still be read", async ({ expect }) => {
    const { caller, post } = await withPost();
    const answer = await cancel(caller, post.id);
    expect(answer).toMatchObject({ status: 200, body: { id: post.id, status: "cancelled" } });
    const list = await call(caller, { method: "GET", path: "/posts?include_past=true" });
    expect(list.body.pagination.total).toBe(0);
    const read = await call(caller, { method: "GET", path: `/posts/${post.id}` });
    expect(read.body.post.status).toBe("cancelled");
  });
});

describe("400", () => {
  test.for([{}, { confirm: false }, { confirm: "true" }, { confirm: 1 }, { confirm: null }, { confirm: [true] }])(
    "with %j, and the post stays",
    async (body, { expect }) => {
      const { caller, post } = await withPost();
      const answer = await cancel(caller, post.id, body);
      expect(answer).toMatchObject({ status: 400, body: { code: "confirmation_required", param: "confirm" } });
      const read = await call(caller, { method: "GET", path: `/posts/${post.id}` });
      expect(read.body.post.status).toBe("scheduled");
    },
  );

  test("a second time", async ({ expect }) => {
    const { caller, post } = await withPost();
    await cancel(caller, post.id);
    expect(await cancel(caller, post.id)).toMatchObject({ status: 400, body: { code: "invalid_state" } });
  });

  test("with an id that is none", async ({ expect }) => {
    expect(await cancel(await newCaller(), "1")).toMatchObject({ status: 400, body: { param: "id" } });
  });
});

describe("404", () => {
  test("another user's post looks like a post that does not exist", async ({ expect }) => {
    const { post } = await withPost();
    const stranger = await newCaller();
    const theirs = await cancel(stranger, post.id, { confirm: true }, { "x-request-id": "same" });
    const missing = await cancel(stranger, crypto.randomUUID(), { confirm: true }, { "x-request-id": "same" });
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual(missing.body);
  });

  test("but 400 first without confirm, so that nothing is revealed", async ({ expect }) => {
    const { post } = await withPost();
    expect((await cancel(await newCaller(), post.id, {})).status).toBe(400);
  });
});
