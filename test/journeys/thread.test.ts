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
  uploadFile,
  useJourneyClock,
  waitUntilArmed,
} from "./journey-driver.ts";

/* A thread through the service: it stops where the platform refuses a part, and an edit goes on with the missing ones. */

useJourneyClock("2036-03-01T09:00:00Z");

const partsOf = (captions: readonly string[]) => ({ thread: captions.map((caption) => ({ caption })) });

async function publishedTexts(name: string): Promise<string[]> {
  const posts = await publishedPosts("x");
  return posts
    .map(({ text }) => text)
    .filter((text) => text?.startsWith(name))
    .toSorted();
}

test("a thread on Threads is published part by part, and tells each part", async ({ expect }) => {
  const caller = await createCaller();
  const { id: account_id } = await connectOneAccount(caller, "threads");
  const captions = Array.from({ length: 8 }, (_, index) => `Clay ${index + 1}`);
  const { post } = await schedulePost(caller, {
    caption: captions[0] ?? "",
    targets: [{ account_id, platform_options: partsOf(captions.slice(1)) }],
  });
  await runAlarmsUntilIdle([post]);
  const whole = await readPost(caller, post.id);
  expect(whole).toMatchObject({ status: "published", targets: [{ status: "published", error: null }] });
  expect(whole.targets[0]?.parts).toMatchObject(
    captions.map((_, index) => ({ index, status: "published", url: expect.stringContaining("/post/") })),
  );
  const posts = await publishedPosts("threads");
  const texts = posts.map(({ text }) => text).filter((text) => text?.startsWith("Clay"));
  expect(texts.toSorted()).toEqual(captions);
});

interface PartWithMedia {
  readonly media_items?: readonly { readonly url: string; readonly id: string; readonly sha256: string }[];
}

const mediaOf = ({ targets }: Pick<Post, "targets">, part: number) => {
  const thread = targets[0]?.platform_options["thread"] as readonly PartWithMedia[] | undefined;
  return thread?.[part]?.media_items;
};

const usesOf = async (postId: string): Promise<unknown[]> => {
  const { results } = await env.DB.prepare("SELECT media_id FROM post_media WHERE post_id = ? ORDER BY media_id")
    .bind(postId)
    .all();
  return results.map(({ media_id: id }) => id);
};

describe.for(["x", "threads", "bluesky", "mastodon"] as const)("a thread with media in its parts on %s", (platform) => {
  test("holds them in its plan, keeps them in edits and copies, and publishes each with its part", async ({
    expect,
  }) => {
    const caller = await createCaller();
    const { id: account_id } = await connectOneAccount(caller, platform);
    const files = await Promise.all(["portrait.jpg", "portrait.mp4", "portrait.jpg"].map(createUniqueFile));
    const [image, video, other] = await Promise.all(files.map((file) => uploadFile(caller, file)));
    const name = `Slip ${platform}`;
    const thread = [
      { caption: `${name} 2`, media_items: [{ url: image?.url, alt_text: "A jug" }] },
      { caption: `${name} 3` },
      { caption: `${name} 4`, media_items: [{ url: video?.url, type: "video" }] },
    ];
    const { post, preview } = await schedulePost(caller, {
      caption: `${name} 1`,
      targets: [{ account_id, platform_options: { thread } }],
    });
    expect(mediaOf(preview, 0)).toMatchObject([
      { id: expect.any(String), sha256: files[0]?.sha256, type: "image", alt_text: "A jug" },
    ]);
    expect(post.plan_hash).toBe(preview.plan_hash);
    const idsOf = (of: Pick<Post, "targets">) => [0, 2].flatMap((part) => mediaOf(of, part)?.map(({ id }) => id) ?? []);
    expect(await usesOf(post.id)).toEqual(idsOf(preview).toSorted());

    // What a post shows can be sent back as it is.
    const { body: copy } = await callExpecting(caller, "POST", "/posts/preview", {
      caption: `${name} 1`,
      scheduled_at: post.scheduled_at,
      targets: [{ account_id, platform_options: post.targets[0]?.platform_options }],
    });
    expect(copy.preview.plan_hash).toBe(preview.plan_hash);

    const captioned = await editPost(caller, {
      post_ids: [post.id],
      target_options: [{ account_id, caption: `${name} 1, edited` }],
    });
    expect(captioned.changes.map(({ field }: { field: string }) => field)).toEqual(["caption"]);
    expect(mediaOf(captioned.after, 0)).toEqual(mediaOf(preview, 0));
    expect(await usesOf(post.id)).toEqual(idsOf(preview).toSorted());
    const replaced = await editPost(caller, {
      post_ids: [post.id],
      target_options: [
        {
          account_id,
          platform_options: { thread: thread.with(0, { caption: `${name} 2`, media_items: other ? [other] : [] }) },
        },
      ],
    });
    expect(replaced.after.plan_hash).not.toBe(captioned.after.plan_hash);
    expect(mediaOf(replaced.after, 0)).toMatchObject([{ sha256: files[2]?.sha256 }]);
    expect(await usesOf(post.id)).toEqual(idsOf(replaced.after).toSorted());

    await runAlarmsUntilIdle([post]);
    const published = await readPost(caller, post.id);
    expect(published.targets[0]).toMatchObject({ status: "published", error: null });
    const posts = (await publishedPosts(platform)).filter(({ text }) => text?.startsWith(name));
    expect(
      posts.toSorted((a, b) => a.text.localeCompare(b.text)).map(({ media }) => media.map(({ sha256 }) => sha256)),
    ).toEqual([[], [files[2]?.sha256], [], [files[1]?.sha256]]);
  });
});

test("a part's media are refused in the preview where they cannot be used", async ({ expect }) => {
  const caller = await createCaller();
  const { id: account_id } = await connectOneAccount(caller, "x");
  const refused = async (media_items: readonly unknown[]) => {
    const { status, body } = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "Slip",
        scheduled_at: toIsoInstant(Date.now() + HOUR),
        targets: [{ account_id, platform_options: { thread: [{ caption: "Glaze", media_items }] } }],
      },
    });
    expect(status).toBe(400);
    return (body.details as { code: string; param: string }[]).map(({ code, param }) => `${code} ${param}`);
  };
  const at = "targets[0].platform_options.thread[0].media_items";
  expect(await refused([{ url: `${ORIGIN}/media/8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31/gone.jpg` }])).toEqual([
    `media_not_found ${at}[0].url`,
  ]);
  expect(await refused([{ url: "http://127.0.0.1/a.jpg" }])).toEqual([expect.stringContaining(`${at}[0].url`)]);
  expect(await refused([{ url: 7 }])).toEqual([`option_invalid ${at}[0].url`]);
  const [image, video] = await Promise.all(
    ["portrait.jpg", "portrait.mp4"].map(async (name) => uploadFile(caller, await createUniqueFile(name))),
  );
  expect(await refused([image, video])).toEqual([`media_mixed ${at}`]);
});

describe("a thread that stopped", () => {
  test("says so, and an edit publishes the missing parts only", async ({ expect }) => {
    const caller = await createCaller();
    const { id: account_id } = await connectOneAccount(caller, "x");
    const refused = ["Glazes 2", "Glazes 3 #sim-duplicate", "Glazes 4"];
    await env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 1, 1, 0)")
      .bind(caller.workspaceId)
      .run();
    const { post } = await schedulePost(caller, {
      caption: "Glazes 1",
      targets: [{ account_id, platform_options: partsOf(refused) }],
    });
    await runAlarmsUntilIdle([post]);
    const stopped = await readPost(caller, post.id);
    expect(stopped.status).toBe("failed");
    expect(stopped.targets[0]).toMatchObject({ status: "failed", error: { code: "thread_incomplete" } });
    expect(stopped.targets[0]?.parts).toMatchObject([
      { index: 0, status: "published", platform_post_id: expect.any(String) },
      { index: 1, status: "published", url: expect.stringContaining("/status/") },
      { index: 2, status: "failed", platform_post_id: null, url: null },
      { index: 3, status: "pending", platform_post_id: null, url: null },
    ]);
    const { body } = await callApi(caller, { method: "GET", path: "/events" });
    const told = (body.events as { type: string; data: { post: Post } }[]).find(({ type }) => type === "target.failed");
    expect(told?.data.post.targets[0]?.parts).toEqual(stopped.targets[0]?.parts);
    expect(stopped.targets[0]?.error?.["message"]).toContain("stopped after 2 parts");
    expect(await publishedTexts("Glazes")).toEqual(["Glazes 1", "Glazes 2"]);

    const edit = (captions: readonly string[]) =>
      callApi(caller, {
        method: "POST",
        path: "/posts/edit/preview",
        body: {
          post_ids: [post.id],
          scheduled_at: toIsoInstant(Date.now() + HOUR),
          target_options: [{ account_id, platform_options: partsOf(captions) }],
        },
      });
    const changed = await edit(["Glazes two", "Glazes 3", "Glazes 4"]);
    expect(changed.status).toBe(400);
    expect(changed.body.details).toMatchObject([
      { code: "part_already_published", param: "target_options[0].platform_options.thread[0].caption" },
    ]);

    const preview = await edit(["Glazes 2", "Glazes 3", "Glazes 4"]);
    expect(preview.status).toBe(200);
    const { confirmation_token } = preview.body;
    const confirmed = await callApi(caller, {
      method: "POST",
      path: "/posts/edit/confirm",
      body: { confirmation_token },
    });
    expect(confirmed.status).toBe(200);
    await waitUntilArmed(post.id);
    await runAlarmsUntilIdle([await readPost(caller, post.id)]);
    const whole = await readPost(caller, post.id);
    expect(whole.status).toBe("published");
    expect(whole.targets[0]).toMatchObject({ status: "published", error: null });
    expect(whole.targets[0]?.parts).toMatchObject([0, 1, 2, 3].map((index) => ({ index, status: "published" })));
    expect(await publishedTexts("Glazes")).toEqual(["Glazes 1", "Glazes 2", "Glazes 3", "Glazes 4"]);
  });

  test("is unconfirmed where an answer was lost and X does not show the part", async ({ expect }) => {
    const caller = await createCaller();
    const { id: account_id } = await connectOneAccount(caller, "x");
    const { post } = await schedulePost(caller, {
      caption: "Kilns 1",
      targets: [{ account_id, platform_options: partsOf(["Kilns 2 #sim-503-before", "Kilns 3"]) }],
    });
    await runAlarmsUntilIdle([post]);
    const stopped = await readPost(caller, post.id);
    expect(stopped.targets[0]).toMatchObject({
      status: "unconfirmed",
      error: { code: "thread_incomplete" },
      parts: [{ status: "published" }, { status: "unconfirmed", platform_post_id: null }, { status: "pending" }],
    });
    expect(await publishedTexts("Kilns")).toEqual(["Kilns 1"]);
  });
});
