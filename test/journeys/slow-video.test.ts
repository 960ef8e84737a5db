import { afterEach, describe, test, vi } from "vitest";
import { HOUR } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { injectFault } from "../sandbox/sandbox-api.ts";
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

/* A Page's video whose calls Facebook answers after minutes, long after we have stopped waiting, and crashes meanwhile. */

useJourneyClock("2035-03-01T09:00:00Z");

afterEach(() => {
  setFailpointHook(undefined);
});

const isVideoCall = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "POST" && /\/(?:videos|video_reels)$/.test(path);

/** Schedules a video with that placement and runs it; the hook gets the names of the places where the publisher may be killed. */
async function publishVideo(placement: "timeline" | "reels", onPoint: (point: string) => void | Promise<void>) {
  const caller = await createCaller();
  const { accounts } = await connectInBrowser(caller, "facebook");
  const file = await createUniqueFile(placement === "timeline" ? "landscape.mp4" : "portrait.mp4");
  const caption = `Slow, ${crypto.randomUUID()}`;
  const { post } = await schedulePost(caller, {
    caption,
    media_items: [await uploadFile(caller, file)],
    targets: [{ account_id: accounts[0]!.id, platform_options: { placement } }],
  });
  const since = Date.now();
  setFailpointHook(onPoint);
  await runAlarmsUntilIdle([post]);
  setFailpointHook(undefined);
  // Until every late call has taken effect, and until what it made is processed.
  vi.setSystemTime(Date.now() + HOUR);
  await publishedPosts("facebook");
  vi.setSystemTime(Date.now() + HOUR);
  const published = (await publishedPosts("facebook")).filter(({ text }) => text === caption);
  const [target] = (await readPost(caller, post.id)).targets;
  const videoCalls = (await platformCalls("facebook", since)).filter(isVideoCall);
  return { published, target, file, videoCalls };
}

const lateBy = (seconds: number, path: string) =>
  injectFault("facebook", { match: { method: "POST", path }, effect: "late", delay_ms: seconds * 1000 });

describe.each([
  ["timeline", "/*/videos"],
  ["reels", "/*/video_reels"],
] as const)("%s", (placement, path) => {
  test.for([30, 120, 240, 300])(
    "the publishing call is answered after %i seconds: one video",
    { timeout: 60_000 },
    async (seconds, { expect }) => {
      let isSent = false;
      const { published, target, file } = await publishVideo(placement, async (point) => {
        if (point === "commit.before_send" && !isSent) {
          isSent = true;
          await lateBy(seconds, path);
        }
      });
      expect(isSent).toBe(true);
      expect(published.map(({ media }) => media.map(({ sha256 }) => sha256))).toEqual([[file.sha256]]);
      expect(target, JSON.stringify(target?.error)).toMatchObject({
        status: "published",
        platform_post_id: published[0]?.id,
        platform_post_url: published[0]?.url,
      });
    },
  );

  test(
    "killed after the publishing call, which takes effect after 240 seconds: one video",
    { timeout: 60_000 },
    async ({ expect }) => {
      let killed = 0;
      const { published, target } = await publishVideo(placement, async (point) => {
        if (point === "commit.before_send" && killed === 0) {
          await lateBy(240, path);
        }
        if (point === "commit.after_send" && killed === 0) {
          killed += 1;
          throw new Error("killed after the visible call");
        }
      });
      expect(killed).toBe(1);
      expect(published).toHaveLength(1);
      expect(target).toMatchObject({ status: "published", platform_post_id: published[0]?.id });
    },
  );

  test("killed in the middle of the upload: one video", { timeout: 60_000 }, async ({ expect }) => {
    let prepared = 0;
    const { published, target } = await publishVideo(placement, (point) => {
      if (point === "prepare.after_send") {
        prepared += 1;
        if (prepared === 2) {
          throw new Error("killed after a part was sent");
        }
      }
    });
    expect(prepared).toBeGreaterThan(2);
    expect(published).toHaveLength(1);
    expect(target).toMatchObject({ status: "published", platform_post_id: published[0]?.id });
  });

  test(
    "every call of the upload is answered after 240 seconds once: one video",
    { timeout: 60_000 },
    async ({ expect }) => {
      let prepared = 0;
      const uploadPath = placement === "timeline" ? path : "/video-upload/*";
      const { published, target } = await publishVideo(placement, async (point) => {
        if (point === "prepare.before_send") {
          prepared += 1;
          await (prepared === 1 ? lateBy(240, path) : prepared === 3 ? lateBy(240, uploadPath) : undefined);
        }
      });
      expect(published, JSON.stringify(target?.error)).toHaveLength(1);
      expect(target).toMatchObject({ status: "published", platform_post_id: published[0]?.id });
    },
  );
});

test("the call that publishes a timeline video is sent once, and the file is never named by its address", async ({
  expect,
}) => {
  let isSent = false;
  const { videoCalls } = await publishVideo("timeline", async (point) => {
    if (point === "commit.before_send" && !isSent) {
      isSent = true;
      await lateBy(240, "/*/videos");
    }
  });
  // A start, one part and the finish call.
  expect(videoCalls).toHaveLength(3);
});
