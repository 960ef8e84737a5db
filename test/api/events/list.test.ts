import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { connectOneAccount, scheduleTextPost } from "../../support/api-workflows.ts";
import { createWebhook } from "../../support/api-webhooks.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const list = (caller: ApiCaller, query = "") => callApi(caller, { method: "GET", path: `/events${query}` });

/** A workspace that has recorded: an account connected, a post scheduled and cancelled. */
async function createRecorded() {
  const caller = await createCaller();
  await createWebhook(caller);
  const account = await connectOneAccount(caller);
  const post = await scheduleTextPost(caller, account.id);
  await callApi(caller, { method: "DELETE", path: `/posts/${post.id}`, body: { confirm: true } });
  return { caller, account, post };
}

const typesOf = (body: { events: readonly { type: string }[] }) => body.events.map(({ type }) => type);

describe("200", () => {
  test("oldest first, each with the resource as it was", async ({ expect }) => {
    const { caller, account, post } = await createRecorded();
    const { body } = await list(caller);
    expect(body).toMatchObject({
      has_more: false,
      recording: true,
      next_after: body.events.at(-1).seq,
      events: [
        { type: "account.connected", workspace_id: caller.workspaceId, data: { account: { id: account.id } } },
        { type: "post.scheduled", data: { post: { ...post, status: "scheduled" } } },
        {
          type: "post.cancelled",
          data: { post: { id: post.id, status: "cancelled" }, previous: { status: "scheduled" } },
        },
      ],
    });
    expect(body.events[1].data.post).toEqual(post);
  });

  test("page by page nothing is missed and nothing comes twice", async ({ expect }) => {
    const { caller } = await createRecorded();
    const all = (await list(caller)).body;
    const read: unknown[] = [];
    let [after, hasMore] = [0, true];
    while (hasMore) {
      const { body } = await list(caller, `?limit=1&after=${after}`);
      read.push(...body.events);
      [after, hasMore] = [body.next_after, body.has_more];
    }
    expect(read).toEqual(all.events);
    expect((await list(caller, `?after=${after}`)).body).toMatchObject({ events: [], next_after: after });
  });

  test("only the types that are asked for", async ({ expect }) => {
    const { caller } = await createRecorded();
    expect(typesOf((await list(caller, "?types=post.cancelled")).body)).toEqual(["post.cancelled"]);
    const two = await list(caller, "?types=post.cancelled,account.connected");
    expect(typesOf(two.body)).toEqual(["account.connected", "post.cancelled"]);
  });

  test("none without a webhook while the log is off, and it says so", async ({ expect }) => {
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    await scheduleTextPost(caller, account.id);
    expect((await list(caller)).body).toEqual({ events: [], next_after: 0, has_more: false, recording: false });
  });

  test("none of another user", async ({ expect }) => {
    await createRecorded();
    expect((await list(await createCaller())).body.events).toEqual([]);
  });

  test("a post too large for a body is told by its id", async ({ expect }) => {
    const { caller, post } = await createRecorded();
    await env.DB.prepare(
      `UPDATE events SET data = json_set(data, '$.post.content.caption', ?) WHERE workspace_id = ? AND type = 'post.cancelled'`,
    )
      .bind("a".repeat(70_000), caller.workspaceId)
      .run();
    expect((await list(caller, "?types=post.cancelled")).body.events[0].data).toEqual({
      truncated: true,
      ids: { post_id: post.id },
      previous: { status: "scheduled" },
    });
  });
});

describe("400", () => {
  test.for([
    ["?after=-1", "after"],
    ["?after=1e3", "after"],
    ["?after=x", "after"],
    ["?limit=0", "limit"],
    ["?limit=101", "limit"],
    ["?types=", "types"],
    ["?types=post.exploded", "types"],
    ["?types=webhook.test", "types"],
    ["?types=post.failed,", "types"],
    ["?types=post.failed&types=post.paused", "types"],
  ] as const)("%s", async ([query, param], { expect }) => {
    expect(await list(await createCaller(), query)).toMatchObject({
      status: 400,
      body: { code: "validation_failed", param },
    });
  });
});
