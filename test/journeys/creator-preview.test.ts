import { afterEach, describe, test } from "vitest";
import { changeSettings, postJson } from "../sandbox/sandbox-api.ts";
import { callApi } from "../support/call-api.ts";
import { createCaller } from "../support/create-caller.ts";
import { connectInBrowser, createUniqueFile, uploadFile } from "./journey-driver.ts";

/* What TikTok's audit reads in a user interface comes with the preview; what its app lacks is told where the user is. */

const APPROVED_SCOPES = "user.info.basic,video.publish,video.upload,video.list";

afterEach(() => changeSettings("tiktok", { approved_scopes: APPROVED_SCOPES }));

describe("the preview of a target at TikTok", () => {
  test("has the creator's settings as TikTok gives them at that moment", async ({ expect }) => {
    const caller = await createCaller();
    const { accounts } = await connectInBrowser(caller, "tiktok", "ben");
    const preview = (platform_options: object, media: object) =>
      callApi(caller, {
        method: "POST",
        path: "/posts/preview",
        body: {
          caption: "A bowl",
          scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
          media_items: [media],
          targets: [{ account_id: accounts[0]!.id, platform_options }],
        },
      });
    const media = await uploadFile(caller, await createUniqueFile("portrait.mp4"));
    const { status, body } = await preview({ privacy_status: "private", disclose_your_brand: true }, media);
    expect([status, body.preview.targets[0].creator]).toEqual([
      200,
      {
        name: "Ben",
        avatar_url: "https://p16.tiktokcdn.com/_000ben",
        privacy_options: ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
        comment_allowed: true,
        duet_allowed: false,
        stitch_allowed: false,
        max_video_seconds: 300,
      },
    ]);
    const refused = await preview({ privacy_status: "private", disclose_branded_content: true }, media);
    expect([refused.status, refused.body.details]).toMatchObject([
      400,
      [{ code: "option_conflict", param: "targets[0].platform_options.disclose_branded_content" }],
    ]);
  });

  test("of another platform has none", async ({ expect }) => {
    const caller = await createCaller();
    const { accounts } = await connectInBrowser(caller, "x");
    const { body } = await callApi(caller, {
      method: "POST",
      path: "/posts/preview",
      body: {
        caption: "Hello",
        scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
        targets: [{ account_id: accounts[0]!.id }],
      },
    });
    expect(body.preview.targets[0].creator).toBeNull();
  });
});

test("a scope that TikTok has not approved is named on the page that the login ends on", async ({ expect }) => {
  await changeSettings("tiktok", { approved_scopes: null });
  const { key } = await createCaller();
  const response = await postJson("/sandbox/connect", { api_key: key, platform: "tiktok" });
  const { error } = await response.json<{ error: string }>();
  expect(error).toContain("video.upload, video.list");
  expect(error).toContain("TIKTOK_SCOPES");
});
