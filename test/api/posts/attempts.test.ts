import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { createCaller } from "../../support/create-caller.ts";

describe("200", () => {
  test("a post that has not started to publish has no attempts", async ({ expect }) => {
    const caller = await createCaller();
    const post = await scheduleTextPost(caller, (await connectOneAccount(caller)).id);
    const response = await callApi(caller, { method: "GET", path: `/posts/${post.id}/attempts` });
    expect(response).toMatchObject({ status: 200, body: { attempts: [] } });
  });
});

describe("400", () => {
  test("an id that is not a UUID", async ({ expect }) => {
    const response = await callApi(await createCaller(), { method: "GET", path: "/posts/1/attempts" });
    expect(response).toMatchObject({ status: 400, body: { param: "id" } });
  });
});

describe("404", () => {
  test("another user's post gets the same response as one that does not exist", async ({ expect }) => {
    const owner = await createCaller();
    const post = await scheduleTextPost(owner, (await connectOneAccount(owner)).id);
    const otherCaller = await createCaller();
    const send = (id: string) =>
      callApi(otherCaller, { method: "GET", path: `/posts/${id}/attempts`, headers: { "x-request-id": "same" } });
    const ofOtherUser = await send(post.id);
    expect(ofOtherUser.status).toBe(404);
    expect(ofOtherUser.body).toEqual((await send(crypto.randomUUID())).body);
  });
});
