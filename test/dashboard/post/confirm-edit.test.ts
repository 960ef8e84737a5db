import { describe, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { getPost } from "#posts/index.ts";
import { pausePost } from "#post-status/index.ts";
import { previewEdit } from "#confirming/index.ts";
import { createServiceFixture } from "../../auth/service-fixture.ts";
import { createAccount, schedulePost } from "../../posts/test-context.ts";
import { createPostAuthor } from "./post-fixture.ts";

const service = createServiceFixture();

async function previewedEdit() {
  const author = await createPostAuthor(service);
  const accountId = await createAccount(author.ctx);
  const post = await schedulePost(author.ctx, { accountIds: [accountId], scheduledAt: Date.now() + DAY });
  const { confirmationToken } = await previewEdit(author.ctx, { postIds: [post.id], caption: "An edited caption" });
  const confirm = (fields: Record<string, string> = {}) =>
    author.browser.post("/dashboard/posts/edit/confirm", {
      confirmation_token: confirmationToken,
      post_id: post.id,
      ...fields,
    });
  return { ...author, post, confirm, captionNow: async () => (await getPost(author.ctx, { id: post.id })).caption };
}

describe("303", () => {
  test("saves the edit and returns to the post", async ({ expect }) => {
    const { post, confirm, captionNow } = await previewedEdit();
    const response = await confirm();
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`/dashboard/posts/${post.id}?done=saved`);
    expect(await captionNow()).toBe("An edited caption");
  });

  test.for<[string, string]>([
    ["/dashboard?view=week&date=2030-05-13", "/dashboard?view=week&date=2030-05-13&done=saved"],
    ["/dashboard?done=cancelled#post", "/dashboard?done=saved#post"],
    ["https://evil.example/", "/dashboard?done=saved"],
    ["//evil.example/", "/dashboard?done=saved"],
    ["/.//evil.example/", "/.//evil.example/?done=saved"],
  ])("continues at a local path only: %s", async ([next, location], { expect }) => {
    const { confirm } = await previewedEdit();
    expect((await confirm({ next })).headers.get("location")).toBe(location);
  });
});

describe("a refusal is a page with a sentence, the post and its form", () => {
  test("the post was changed since the preview", async ({ expect }) => {
    const { ctx, post, confirm, captionNow } = await previewedEdit();
    await pausePost(ctx, { id: post.id });
    const response = await confirm();
    expect(response.status).toBe(400);
    const page = await response.text();
    expect(page).toContain("The post was changed, or started to publish");
    expect(page).toContain(`href="/dashboard/posts/${post.id}"`);
    expect(page).toContain(`href="/dashboard/posts/${post.id}/edit"`);
    expect(await captionNow()).not.toBe("An edited caption");
  });

  test("the same token again", async ({ expect }) => {
    const { confirm } = await previewedEdit();
    await confirm();
    expect(await (await confirm()).text()).toContain("This change has already been saved.");
  });

  test("an unknown or expired token", async ({ expect }) => {
    const { confirm, captionNow } = await previewedEdit();
    const response = await confirm({ confirmation_token: "A".repeat(43) });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("valid for five minutes");
    expect(await captionNow()).not.toBe("An edited caption");
  });

  test("another person's token is an unknown one", async ({ expect }) => {
    const mine = await previewedEdit();
    const theirs = await createPostAuthor(service);
    const { confirmationToken } = await previewEdit(mine.ctx, { postIds: [mine.post.id], caption: "Stolen" });
    const response = await theirs.browser.post("/dashboard/posts/edit/confirm", {
      confirmation_token: confirmationToken,
      post_id: '"><script>alert(1)</script>',
    });
    const page = await response.text();
    expect(page).toContain("valid for five minutes");
    expect(page).not.toContain("<script>alert");
    expect(await mine.captionNow()).not.toBe("Stolen");
  });
});
