import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const get = (caller: ApiCaller, id: string, headers = {}) =>
  callApi(caller, { method: "GET", path: `/posts/${id}`, headers });

describe("200", () => {
  test("the post with its targets and their unchanged options", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const options = { reply_settings: "following", unknown_key: { deep: [1, null, "ä"] } };
    const post = await scheduleTextPost(caller, account.id, {
      account_ids: undefined,
      targets: [{ account_id: account.id, caption: "Just here", platform_options: options }],
    });
    const response = await get(caller, post.id);
    expect(response).toMatchObject({
      status: 200,
      body: {
        post: {
          id: post.id,
          workspace_id: caller.workspaceId,
          status: "scheduled",
          caption: "A new glaze",
          created_via: "api",
          version: 1,
          media_items: [],
          targets: [
            { account_id: account.id, caption: "Just here", effective_caption: "Just here", platform_options: options },
          ],
        },
      },
    });
  });

  test("for an id in upper case", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const post = await scheduleTextPost(caller, account.id, { scheduled_at: isoInDays(2) });
    expect((await get(caller, post.id.toUpperCase())).status).toBe(200);
  });
});

describe("400", () => {
  test.for([
    "1",
    "x",
    "%00",
    "01983c1e7d1a7c3e9a573f1f6f0f2a11",
    "{01983c1e-7d1a-7c3e-9a57-3f1f6f0f2a11}",
    "%ED%A0%80",
    "__proto__",
  ])("%s is not a UUID", async (id, { expect }) => {
    const response = await get(await createCaller(), id);
    expect(response).toMatchObject({ status: 400, body: { code: "validation_failed", param: "id" } });
  });
});

describe("404", () => {
  test("another user's post gets the same response as one that does not exist", async ({ expect }) => {
    const owner = await createCaller();
    const post = await scheduleTextPost(owner, (await connectOneAccount(owner)).id);
    const otherCaller = await createCaller();
    const ofOtherUser = await get(otherCaller, post.id, { "x-request-id": "same" });
    const missing = await get(otherCaller, crypto.randomUUID(), { "x-request-id": "same" });
    expect(ofOtherUser.status).toBe(404);
    expect(ofOtherUser.body).toEqual(missing.body);
  });
});
