import { describe, test } from "vitest";
import { toIsoInstant } from "#core/clock.ts";
import { deleteMedia, mediaIdOf, sweepMedia } from "#media/index.ts";
import { connectInBrowser, createUniqueFile, readPost, uploadFile } from "../journeys/journey-driver.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import { createTestContext } from "./test-context.ts";

/** A previewed post with one picture, and the means to confirm it and to delete the picture. */
async function previewedPost() {
  const caller: ApiCaller = await createCaller();
  const account = (await connectInBrowser(caller, "x")).accounts[0]!;
  const media = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
  const preview = await callApi(caller, {
    method: "POST",
    path: "/posts/preview",
    body: {
      caption: "Out of the kiln",
      account_ids: [account.id],
      media_items: [media],
      scheduled_at: toIsoInstant(Date.now() + 3_600_000),
    },
  });
  const services = createTestContext();
  const ctx = { ...services, actor: { ...services.actor, userId: caller.userId, workspaceId: caller.workspaceId } };
  const id = mediaIdOf(ctx.config, media.url) ?? "";
  return {
    caller,
    ctx,
    confirm: () =>
      callApi(caller, {
        method: "POST",
        path: "/posts/confirm",
        body: { confirmation_token: preview.body.confirmation_token },
      }),
    remove: () => deleteMedia(ctx, { id }),
  };
}

describe("a picture is deleted while a post with it is confirmed", () => {
  test("after the confirm, the deletion does nothing and names the post", async ({ expect }) => {
    const { confirm, remove, ctx, caller } = await previewedPost();
    const confirmed = await confirm();
    expect(confirmed.status).toBe(200);
    const { id } = confirmed.body.posts[0];
    expect(await remove()).toMatchObject({ state: "in_use", uses: { count: 1, posts: [{ postId: id }] } });
    await sweepMedia(ctx);
    expect((await readPost(caller, id)).media_items).toHaveLength(1);
  });

  test("before the confirm, the confirm is refused and no post exists", async ({ expect }) => {
    const { confirm, remove, caller } = await previewedPost();
    expect(await remove()).toEqual({ state: "deleted" });
    const refused = await confirm();
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain("media");
    expect((await callApi(caller, { method: "GET", path: "/posts" })).body.posts).toEqual([]);
  });

  test("at the same moment, exactly one of them happens", { timeout: 30_000 }, async ({ expect }) => {
    for (let round = 0; round < 4; round += 1) {
      const { confirm, remove } = await previewedPost();
      const [confirmed, removed] = await (round % 2 === 0
        ? Promise.all([confirm(), remove()])
        : Promise.all([remove(), confirm()]).then(([second, first]) => [first, second] as const));
      expect([confirmed.status, removed.state]).toEqual(confirmed.status === 200 ? [200, "in_use"] : [400, "deleted"]);
    }
  });
});
