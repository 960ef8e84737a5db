import { afterEach, describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { changeSettings, injectFault } from "../sandbox/sandbox-api.ts";
import { connectOneAccount } from "../support/api-workflows.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  createUniqueFile,
  killAfterCall,
  platformCalls,
  publishedPosts,
  readPost,
  runAlarmsUntilIdle,
  runCron,
  schedulePost,
  uploadFile,
  useJourneyClock,
} from "./journey-driver.ts";

/* Stories through the service: they have no text by which they could be told from others, and none is published twice. */

useJourneyClock("2037-02-01T09:00:00Z");

afterEach(async () => {
  setFailpointHook(undefined);
  await changeSettings("facebook", { story_archive: null });
});

const STORIES = [
  { platform: "instagram", file: "portrait.jpg", call: "/*/media_publish" },
  { platform: "facebook", file: "portrait.jpg", call: "/*/photo_stories" },
  { platform: "facebook", file: "portrait.mp4", call: "/*/video_stories" },
] as const;
type Story = (typeof STORIES)[number];

async function schedule({ platform, file }: Pick<Story, "platform" | "file">) {
  const caller = await createCaller();
  const { id: account_id } = await connectOneAccount(caller, platform);
  const unique = await createUniqueFile(file);
  const { post } = await schedulePost(caller, {
    caption: "is not shown",
    media_items: [await uploadFile(caller, unique)],
    targets: [{ account_id, platform_options: { story: true, fit: "none" } }],
  });
  const settled = async () => (await readPost(caller, post.id)).targets[0]!;
  const published = async () =>
    (await publishedPosts(platform)).filter(({ media }) => media.some(({ sha256 }) => sha256 === unique.sha256));
  return { post, settled, published };
}

describe.each(STORIES)("a story of $file at $platform", (story) => {
  const { platform, call } = story;

  test("whose answer is lost is published once, with its own id", async ({ expect }) => {
    const { post, settled, published } = await schedule(story);
    await injectFault(platform, { match: { method: "POST", path: call }, times: 1, effect: "drop_after" });
    await runAlarmsUntilIdle([post]);
    const posts = await published();
    expect(posts).toMatchObject([{ kind: "story", text: "" }]);
    expect(await settled()).toMatchObject({
      status: "published",
      platform_post_id: posts[0]?.id,
      platform_post_url: posts[0]?.url,
      error: null,
    });
  });

  test("that was killed right after its call is published once", async ({ expect }) => {
    const { post, settled, published } = await schedule(story);
    expect(await killAfterCall(post)).toBe(1);
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    await runCron();
    await runAlarmsUntilIdle([post]);
    const posts = await published();
    expect(posts).toHaveLength(1);
    expect(await settled()).toMatchObject({ status: "published", platform_post_id: posts[0]?.id, error: null });
  });
});

test.for([
  ["drop_before", 0],
  ["drop_after", 1],
] as const)(
  "a photo at Facebook is unconfirmed after %s where the Page lists no stories, and is not sent again",
  async ([effect, count], { expect }) => {
    await changeSettings("facebook", { story_archive: false });
    const { post, settled, published } = await schedule({ platform: "facebook", file: "portrait.jpg" });
    await injectFault("facebook", { match: { method: "POST", path: "/*/photo_stories" }, times: 1, effect });
    const since = Date.now();
    await runAlarmsUntilIdle([post]);
    expect(await settled()).toMatchObject({ status: "unconfirmed", platform_post_id: null });
    expect(await published()).toHaveLength(count);
    const sent = (await platformCalls("facebook", since)).filter(({ path }) => path.endsWith("/photo_stories"));
    expect(sent).toHaveLength(1);
  },
);
