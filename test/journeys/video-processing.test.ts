import { afterEach, describe, test } from "vitest";
import { HOUR } from "#core/clock.ts";
import { changeSettings } from "../sandbox/sandbox-api.ts";
import { createCaller } from "../support/create-caller.ts";
import {
  connectInBrowser,
  createUniqueFile,
  platformCalls,
  publishedPosts,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  uploadFile,
  useJourneyClock,
} from "./journey-driver.ts";

/* A film that YouTube processes for hours, longer than an access token is valid: the post ends as YouTube's processing ends. */

useJourneyClock("2035-04-01T09:00:00Z");

afterEach(() => changeSettings("youtube", { processing_ms: 2000 }));

async function publishFilm(title: string) {
  await changeSettings("youtube", { processing_ms: 3 * HOUR });
  const caller = await createCaller();
  const { accounts } = await connectInBrowser(caller, "youtube");
  const file = await createUniqueFile("landscape.mp4");
  const caption = `A film, ${crypto.randomUUID()}`;
  const { post } = await schedulePost(caller, {
    caption,
    media_items: [await uploadFile(caller, file)],
    targets: [{ account_id: accounts[0]!.id, platform_options: { title } }],
  });
  const since = Date.now();
  await runAlarmsUntilIdle([post]);
  const { status, targets } = await readPost(caller, post.id);
  const looks = (await platformCalls("youtube", since)).filter(({ path }) => path === "/youtube/v3/videos");
  const published = (await publishedPosts("youtube")).filter(({ text }) => text === caption);
  return { status, target: targets[0], published, lookCount: looks.length };
}

describe("a film that is processed for three hours", () => {
  test("is published when YouTube has processed it", async ({ expect }) => {
    const { status, target, published, lookCount } = await publishFilm("Three hours of glazing");
    expect(target).toMatchObject({ status: "published", error: null });
    expect([status, published.length]).toEqual(["published", 1]);
    expect(lookCount).toBeLessThan(30);
  });

  test("fails with YouTube's reason and what to do when it cannot be processed", async ({ expect }) => {
    const { status, target, published } = await publishFilm("Three hours #sim-failed-codec");
    expect(target).toMatchObject({
      status: "failed",
      error: { code: "media_invalid", message: expect.stringContaining("Export it again as MP4") },
    });
    expect([status, published]).toEqual(["failed", []]);
  });
});
