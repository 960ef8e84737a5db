import { env } from "cloudflare:workers";
import { v7 } from "uuid";
import { describe, test } from "vitest";
import { archivePosts } from "#archive/index.ts";
import { createServices } from "#context.ts";
import { DAY, toIsoInstant } from "#core/clock.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { insertPosts, type OldPost } from "../../archive/test-context.ts";
import { callApi } from "../../support/call-api.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

/** The first of a month, two years ago. */
const today = new Date();
const OLD = Date.UTC(today.getUTCFullYear() - 2, today.getUTCMonth(), 1);

async function archive(posts: readonly OldPost[]): Promise<{ caller: ApiCaller; ids: string[] }> {
  const caller = await createCaller();
  const ids = await insertPosts(caller, posts);
  await env.DB.prepare("UPDATE service SET archived_day = 0, archived_to = ''").run();
  await archivePosts(createServices(env, sandboxOutbound(env), () => {}));
  return { caller, ids };
}

const get = (caller: ApiCaller, path: string) => callApi(caller, { method: "GET", path });

describe("GET /posts?archived=true", () => {
  test("lists archived posts with the filters of every list, and no other list has them", async ({ expect }) => {
    const { caller, ids } = await archive([
      { at: OLD },
      { at: OLD + DAY, status: "failed", states: ["failed"] },
      { at: OLD + 2 * DAY },
    ]);
    const all = await get(caller, "/posts?archived=true");
    expect(all.status).toBe(200);
    expect(all.body.posts.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(all.body.posts[0]).toMatchObject({ archived: true, status: "published", media_items: [{ type: "image" }] });
    expect(all.body.pagination).toEqual({ limit: 50, offset: 0, total: 3, has_more: false, next_offset: null });
    const page = await get(caller, "/posts?archived=true&order=desc&limit=1&offset=1&fields=summary");
    expect(page.body.posts).toMatchObject([{ id: ids[1], status: "failed", target_count: 1, media_count: 1 }]);
    expect(page.body.pagination).toEqual({ limit: 1, offset: 1, total: 3, has_more: true, next_offset: 2 });
    const failed = await get(caller, "/posts?archived=true&status=failed");
    expect(failed.body.pagination.total).toBe(1);
    const from = await get(caller, `/posts?archived=true&from=${toIsoInstant(OLD + DAY)}`);
    expect(from.body.pagination.total).toBe(2);
    const living = await get(caller, "/posts?include_past=true");
    expect(living.body.pagination.total).toBe(0);
    const stranger = await createCaller();
    expect((await get(stranger, "/posts?archived=true")).body.pagination.total).toBe(0);
  });
});

describe("an archived post", () => {
  test("is read by its id, with its attempts", async ({ expect }) => {
    const { caller, ids } = await archive([{ at: OLD }]);
    const post = await get(caller, `/posts/${ids[0]}`);
    expect(post.status).toBe(200);
    expect(post.body.post).toMatchObject({
      id: ids[0],
      archived: true,
      targets: [{ status: "published", attempts: 1 }],
    });
    const attempts = await get(caller, `/posts/${ids[0]}/attempts`);
    expect(attempts.body.attempts).toMatchObject([{ platform: "x", step: "commit", outcome: "published" }]);
  });

  test("looks to another user like one that does not exist", async ({ expect }) => {
    const { ids } = await archive([{ at: OLD }]);
    const stranger = await createCaller();
    const missing = v7({ msecs: OLD });
    for (const suffix of ["", "/attempts"]) {
      const theirs = await get(stranger, `/posts/${ids[0]}${suffix}`);
      const none = await get(stranger, `/posts/${missing}${suffix}`);
      expect(theirs.status).toBe(404);
      expect({ ...theirs.body, request_id: "" }).toEqual({ ...none.body, request_id: "" });
    }
  });

  test("cannot be cancelled or tried again, and the refusal says so", async ({ expect }) => {
    const { caller, ids } = await archive([{ at: OLD, status: "failed", states: ["failed"] }]);
    const cancelled = await callApi(caller, { method: "DELETE", path: `/posts/${ids[0]}`, body: { confirm: true } });
    expect(cancelled).toMatchObject({
      status: 400,
      body: { code: "invalid_state", error: "an archived post cannot be cancelled" },
    });
    const edited = await callApi(caller, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [ids[0]], scheduled_at: toIsoInstant(Date.now() + DAY) },
    });
    expect(edited).toMatchObject({
      status: 400,
      body: {
        details: [{ code: "invalid_state", message: "an archived post cannot be edited", param: "post_ids[0]" }],
      },
    });
  });
});
