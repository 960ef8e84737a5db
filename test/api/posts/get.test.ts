import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, inDays, scheduleText } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const get = (caller: Caller, id: string, headers = {}) =>
  call(caller, { method: "GET", path: `/posts/${id}`, headers });

describe("200", () => {
  test("the post with its targets and their options, kept as they were sent", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const options = { reply_settings: "following", unheard_of: { deep: [1, null, "ä"] } };
    const post = await scheduleText(caller, account.id, {
      account_ids: undefined,
      targets: [{ account_id: account.id, caption: "Just here", platform_options: options }],
    });
    const answer = await get(caller, post.id);
    expect(answer).toMatchObject({
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

  test("in either case of its id", async ({ expect }) => {
    const caller = await newCaller();
    const account = await connectOne(caller);
    const post = await scheduleText(caller, account.id, { scheduled_at: inDays(2) });
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
  ])("%s is no UUID", async (id, { expect }) => {
    const answer = await get(await newCaller(), id);
    expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed", param: "id" } });
  });
});

describe("404", () => {
  test("another user's post looks like a post that does not exist", async ({ expect }) => {
    const owner = await newCaller();
    const post = await scheduleText(owner, (await connectOne(owner)).id);
    const stranger = await newCaller();
    const theirs = await get(stranger, post.id, { "x-request-id": "same" });
    const missing = await get(stranger, crypto.randomUUID(), { "x-request-id": "same" });
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual(missing.body);
  });
});
