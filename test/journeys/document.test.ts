import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";
import {
  callExpecting,
  createUniqueFile,
  editPost,
  type Post,
  publishedPosts,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  uploadDocument,
  uploadFile,
  useJourneyClock,
} from "./journey-driver.ts";

/* A document through the service: stored with the plan, kept by edits and copies, and refused wherever it does not belong. */

useJourneyClock("2036-07-01T09:00:00Z");

const documentIn = ({ targets }: Pick<Post, "targets">) =>
  targets[0]?.platform_options["document"] as { readonly id: string; readonly sha256: string } | undefined;

const usesOf = async (postId: string): Promise<unknown[]> => {
  const { results } = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ?").bind(postId).all();
  return results.map(({ media_id: id }) => id);
};

test("a document is in the plan, is kept in edits and copies, and is published", async ({ expect }) => {
  const caller = await createCaller();
  const { id: account_id } = await connectOneAccount(caller, "linkedin");
  const files = await Promise.all(["handbook.pdf", "handbook.pdf"].map(createUniqueFile));
  const [first, second] = await Promise.all(files.map((file) => uploadDocument(caller, file)));
  const document = { url: first?.url, title: "The handbook" };
  const { post, preview } = await schedulePost(caller, {
    caption: "A handbook to leaf through",
    targets: [{ account_id, platform_options: { document } }],
  });
  expect(documentIn(preview)).toEqual({
    ...document,
    id: expect.any(String),
    sha256: files[0]?.sha256,
    size_bytes: files[0]?.bytes.length,
    pages: 3,
  });
  expect(post).toMatchObject({ post_type: "text", plan_hash: preview.plan_hash });
  expect(await usesOf(post.id)).toEqual([documentIn(preview)?.id]);

  // What a post shows can be sent back as it is.
  const { body: copy } = await callExpecting(caller, "POST", "/posts/preview", {
    caption: "A handbook to leaf through",
    scheduled_at: post.scheduled_at,
    targets: [{ account_id, platform_options: post.targets[0]?.platform_options }],
  });
  expect(copy.preview.plan_hash).toBe(preview.plan_hash);

  const captioned = await editPost(caller, {
    post_ids: [post.id],
    target_options: [{ account_id, caption: "A handbook, edited" }],
  });
  expect(documentIn(captioned.after)).toEqual(documentIn(preview));
  expect(await usesOf(post.id)).toEqual([documentIn(preview)?.id]);
  const replaced = await editPost(caller, {
    post_ids: [post.id],
    target_options: [{ account_id, platform_options: { document: { url: second?.url, title: "The second" } } }],
  });
  expect(replaced.after.plan_hash).not.toBe(captioned.after.plan_hash);
  expect(documentIn(replaced.after)).toMatchObject({ sha256: files[1]?.sha256, title: "The second" });
  expect(await usesOf(post.id)).toEqual([documentIn(replaced.after)?.id]);

  await runAlarmsUntilIdle([await readPost(caller, post.id)]);
  expect(await readPost(caller, post.id)).toMatchObject({ status: "published", targets: [{ error: null }] });
  const posts = (await publishedPosts("linkedin")).filter(({ text }) => text === "A handbook, edited");
  expect(posts).toMatchObject([
    { kind: "document", title: "The second", media: [{ type: "document", sha256: files[1]?.sha256 }] },
  ]);
});

test("an edit takes a document away, and the file is used no more", async ({ expect }) => {
  const caller = await createCaller();
  const { id: account_id } = await connectOneAccount(caller, "linkedin");
  const { url } = await uploadDocument(caller, await createUniqueFile("handbook.pdf"));
  const { post } = await schedulePost(caller, {
    caption: "With and without",
    targets: [{ account_id, platform_options: { document: { url, title: "The handbook" } } }],
  });
  expect(await usesOf(post.id)).toHaveLength(1);
  const { after } = await editPost(caller, {
    post_ids: [post.id],
    target_options: [{ account_id, platform_options: { document: null } }],
  });
  expect(documentIn(after)).toBeUndefined();
  expect(await usesOf(post.id)).toEqual([]);
});

describe("a preview refuses", () => {
  test("a document that cannot be used, and one that is no document", async ({ expect }) => {
    const caller = await createCaller();
    const [{ id: account_id }, { id: x }] = [
      await connectOneAccount(caller, "linkedin"),
      await connectOneAccount(caller, "x"),
    ];
    const image = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const { url } = await uploadDocument(caller, await createUniqueFile("handbook.pdf"));
    const refused = async (body: Readonly<Record<string, unknown>>) => {
      const response = await callApi(caller, {
        method: "POST",
        path: "/posts/preview",
        body: { caption: "A handbook", scheduled_at: toIsoInstant(Date.now() + HOUR), ...body },
      });
      expect(response.status).toBe(400);
      return (response.body.details as { code: string; param: string }[]).map(({ code, param }) => `${code} ${param}`);
    };
    const withDocument = (document: unknown, more: object = {}) =>
      refused({ targets: [{ account_id, platform_options: { document } }], ...more });
    const at = "targets[0].platform_options.document";
    const title = "The handbook";
    expect(await withDocument({ url: image.url, title })).toEqual([`media_type_mismatch ${at}.url`]);
    expect(await withDocument({ url: `${ORIGIN}/media/8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31/gone.pdf`, title })).toEqual(
      [`media_not_found ${at}.url`],
    );
    expect(await withDocument({ url: "https://10.0.0.1/a.pdf", title })).toEqual([`url_not_public ${at}.url`]);
    expect(await withDocument({ url })).toEqual([`option_required ${at}.title`]);
    expect(await withDocument({ url, title }, { media_items: [image] })).toEqual([`option_conflict ${at}`]);
    const theirs = await uploadDocument(await createCaller(), await createUniqueFile("handbook.pdf"));
    expect(await withDocument({ url: theirs.url, title })).toEqual([`media_not_found ${at}.url`]);
    // Of the file only what is stored counts.
    expect(await withDocument({ url: `${ORIGIN}/media/none`, title, id: "x", sha256: "y", size_bytes: 1 })).toEqual([
      expect.stringContaining(`${at}.url`),
    ]);
    expect(await refused({ account_ids: [account_id], media_urls: [url] })).toEqual([
      "media_type_unsupported media_urls[0]",
    ]);
    expect(await refused({ account_ids: [account_id], media_items: [{ url, type: "image" }] })).toEqual([
      "media_type_unsupported media_items[0].url",
    ]);
    expect(await refused({ targets: [{ account_id: x, platform_options: { document: { url, title } } }] })).toEqual([
      `option_unknown ${at}`,
    ]);
  });
});
