import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { getPost } from "#posts/index.ts";
import { previewEdit } from "#confirming/index.ts";
import { createServiceFixture } from "../../auth/service-fixture.ts";
import { createAccount, schedulePost } from "../../posts/test-context.ts";
import { createPostAuthor } from "./post-fixture.ts";

const service = createServiceFixture();

/** A person whose subscription ended after a post was scheduled and an edit of it previewed. */
async function lapsedAuthor() {
  const { browser, ctx } = await createPostAuthor(service);
  const accountId = await createAccount(ctx);
  const post = await schedulePost(ctx, { accountIds: [accountId], scheduledAt: Date.now() + DAY });
  const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "An edited caption" });
  await env.DB.prepare("UPDATE subscriptions SET status = 'canceled', current_period_end = 1 WHERE user_id = ?")
    .bind(ctx.actor.userId)
    .run();
  const send = (path: string) =>
    browser.post(`/dashboard/posts/${path.replace(":id", post.id)}`, {
      confirmation_token: confirmationToken,
      post_id: post.id,
      date: "2030-05-13",
      time: "09:30",
      confirm: "yes",
    });
  return { send, post, stored: () => getPost(ctx, { id: post.id }) };
}

describe("without a subscription", () => {
  test.for(["edit/confirm", ":id/move", ":id/retry"])(
    "%s changes nothing and leads to the plans",
    async (path, { expect }) => {
      const { send, post, stored } = await lapsedAuthor();
      const response = await send(path);
      expect(response.status).toBe(403);
      const page = await response.text();
      expect(page).toContain("Your trial or subscription has ended.");
      expect(page).toContain('href="/dashboard/plan"');
      expect(await stored()).toMatchObject({ version: post.version, caption: post.caption });
    },
  );

  test.for([
    [":id/pause", "paused"],
    [":id/cancel", "cancelled"],
  ] as const)("%s stays possible", async ([path, status], { expect }) => {
    const { send, stored } = await lapsedAuthor();
    expect((await send(path)).status).toBe(303);
    expect(await stored()).toMatchObject({ status });
  });
});
