import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { injectFault } from "../sandbox/sandbox-api.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  connectInBrowser,
  createUniqueFile,
  platformCalls,
  type Post,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  uploadFile,
  useJourneyClock,
} from "./journey-driver.ts";

/* What is added to a post once it is public, through the service: the right that it needs, an edit, a lost answer, what is told. */

useJourneyClock("2036-05-01T09:00:00Z");

const COMMENTS = "/youtube/v3/commentThreads";

describe("a cover and a first comment", () => {
  test("follow the video, each once, also where the answer is lost", async ({ expect }) => {
    const caller = await createCaller();
    const { accounts } = await connectInBrowser(caller, "youtube");
    const account_id = accounts[0]!.id;
    await env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 1, 1, 0)")
      .bind(caller.workspaceId)
      .run();
    const video = await uploadFile(caller, await createUniqueFile("portrait.mp4"));
    const picture = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const platform_options = { title: "How to glaze", first_comment: "The glaze is in the link" };
    const { post } = await schedulePost(caller, {
      caption: "Glaze",
      media_items: [{ ...video, cover: { url: picture.url } }],
      targets: [{ account_id, platform_options }],
    });
    const edited = await callApi(caller, {
      method: "POST",
      path: "/posts/edit/preview",
      body: {
        post_ids: [post.id],
        target_options: [{ account_id, platform_options: { ...platform_options, first_comment: "Which glaze?" } }],
      },
    });
    expect(edited.status).toBe(200);
    const { confirmation_token } = edited.body;
    await callApi(caller, { method: "POST", path: "/posts/edit/confirm", body: { confirmation_token } });
    await injectFault("youtube", { match: { method: "POST", path: COMMENTS }, times: 1, effect: "drop_after" });
    const since = Date.now();
    await runAlarmsUntilIdle([await readPost(caller, post.id)]);

    const published = await readPost(caller, post.id);
    expect(published.status).toBe("published");
    const extras = {
      cover: { status: "published", id: null, url: null, error: null },
      first_comment: {
        status: "published",
        id: expect.any(String),
        url: expect.stringContaining(`${published.targets[0]?.platform_post_url}&lc=`),
        error: null,
      },
    };
    expect(published.targets[0]).toMatchObject({ status: "published", error: null, extras });
    const { body } = await callApi(caller, { method: "GET", path: "/events" });
    const told = (body.events as { type: string; data: { post: Post } }[]).find(
      ({ type }) => type === "post.published",
    );
    expect(told?.data.post.targets[0]).toMatchObject({ extras });
    const calls = await platformCalls("youtube", since);
    expect(calls.filter(({ method, path }) => method === "POST" && path === COMMENTS)).toHaveLength(1);
    expect(published.targets[0]?.platform_options).toMatchObject({ first_comment: "Which glaze?" });
  });

  test("follow a video at Facebook, whose rights for covers the rules name", async ({ expect }) => {
    const caller = await createCaller();
    const { accounts } = await connectInBrowser(caller, "facebook");
    const account_id = accounts[0]!.id;
    const { body: rules } = await callApi(caller, { method: "GET", path: "/platforms" });
    const facebook = (rules.platforms as { platform: string; option_scopes: object[] }[]).find(
      ({ platform }) => platform === "facebook",
    );
    expect(facebook?.option_scopes).toContainEqual({
      option: "cover",
      scopes: ["pages_manage_engagement", "pages_read_user_content"],
      is_available: true,
    });
    const video = await uploadFile(caller, await createUniqueFile("portrait.mp4"));
    const picture = await uploadFile(caller, await createUniqueFile("portrait.jpg"));
    const { post, preview } = await schedulePost(caller, {
      caption: "A covered reel",
      media_items: [{ ...video, cover: { url: picture.url } }],
      account_ids: [account_id],
    });
    expect(preview.targets[0]).toMatchObject({ warnings: [] });
    await injectFault("facebook", { match: { method: "POST", path: "/*/thumbnails" }, times: 1, effect: "drop_after" });
    await runAlarmsUntilIdle([post]);
    expect((await readPost(caller, post.id)).targets[0]).toMatchObject({
      status: "published",
      error: null,
      extras: { cover: { status: "published", error: null } },
    });
  });

  test("need their right, and a platform that takes none says so", async ({ expect }) => {
    const caller = await createCaller();
    const { id: x } = await connectOneAccount(caller, "x");
    const refused = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "No comments here",
        scheduled_at: "2036-06-20T09:00:00Z",
        targets: [{ account_id: x, platform_options: { first_comment: "First" } }],
      },
    });
    expect(refused.status).toBe(400);
    expect(refused.body.details).toMatchObject([
      {
        code: "option_unknown",
        message: expect.stringContaining("use thread"),
        param: "targets[0].platform_options.first_comment",
      },
    ]);
  });
});
