import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const cancel = (caller: ApiCaller, id: string, body: unknown = { confirm: true }, headers = {}) =>
  callApi(caller, { method: "DELETE", path: `/posts/${id}`, body, headers });

async function createCallerWithPost() {
  const caller = await createCaller();
  const post = await scheduleTextPost(caller, (await connectOneAccount(caller)).id);
  return { caller, post };
}

describe("200", () => {
  test("the post is no longer listed and can still be read", async ({ expect }) => {
    const { caller, post } = await createCallerWithPost();
    const response = await cancel(caller, post.id);
    expect(response).toMatchObject({ status: 200, body: { id: post.id, status: "cancelled" } });
    const list = await callApi(caller, { method: "GET", path: "/posts?include_past=true" });
    expect(list.body.pagination.total).toBe(0);
    const read = await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
    expect(read.body.post.status).toBe("cancelled");
  });
});

describe("400", () => {
  test.for([{}, { confirm: false }, { confirm: "true" }, { confirm: 1 }, { confirm: null }, { confirm: [true] }])(
    "with %j, and the post stays scheduled",
    async (body, { expect }) => {
      const { caller, post } = await createCallerWithPost();
      const response = await cancel(caller, post.id, body);
      expect(response).toMatchObject({ status: 400, body: { code: "confirmation_required", param: "confirm" } });
      const read = await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
      expect(read.body.post.status).toBe("scheduled");
    },
  );

  test("a second time", async ({ expect }) => {
    const { caller, post } = await createCallerWithPost();
    await cancel(caller, post.id);
    expect(await cancel(caller, post.id)).toMatchObject({ status: 400, body: { code: "invalid_state" } });
  });

  test("with an id that is not a UUID", async ({ expect }) => {
    expect(await cancel(await createCaller(), "1")).toMatchObject({ status: 400, body: { param: "id" } });
  });
});

describe("404", () => {
  test("another user's post gets the same response as one that does not exist", async ({ expect }) => {
    const { post } = await createCallerWithPost();
    const otherCaller = await createCaller();
    const ofOtherUser = await cancel(otherCaller, post.id, { confirm: true }, { "x-request-id": "same" });
    const missing = await cancel(otherCaller, crypto.randomUUID(), { confirm: true }, { "x-request-id": "same" });
    expect(ofOtherUser.status).toBe(404);
    expect(ofOtherUser.body).toEqual(missing.body);
  });

  test("400 has priority without confirm, so the existence of the post is not revealed", async ({ expect }) => {
    const { post } = await createCallerWithPost();
    expect((await cancel(await createCaller(), post.id, {})).status).toBe(400);
  });
});
