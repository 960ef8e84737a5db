import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { JsonObject } from "#core/json.ts";
import { adapterFor } from "#platforms/registry.ts";
import type { Adapter, AccountAccess } from "#platforms/contract.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import { sampleOf } from "../support/platform-samples.ts";
import { publishedPosts, logIn, injectFault, publishUntilSettled, sampleMedia } from "../support/drive-simulator.ts";

/*
 * Adapters against the simulators, which were written independently from the same documents, so that a misreading in one
 * of them is noticed.
 */

let startTime = Date.parse("2031-03-01T09:00:00Z");
beforeEach(() => {
  startTime += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
});
afterEach(() => {
  vi.useRealTimers();
});

function adapterOf(platform: Platform): Adapter {
  const adapter = adapterFor(platform);
  if (!adapter) {
    throw new Error(`${platform} is not registered`);
  }
  return adapter;
}

async function firstAccount(
  adapter: Adapter,
  login = "ada",
  settings?: Record<string, string>,
): Promise<AccountAccess> {
  const { accounts } = await logIn(adapter, login, settings);
  const [account] = accounts;
  if (!account) {
    throw new Error("the login has no account");
  }
  return account;
}

interface PostCase {
  readonly kind: string;
  readonly platform: Platform;
  readonly files: readonly string[];
  readonly options?: JsonObject;
  /** The path of the visible call; absent: it is the first call of `commit`. */
  readonly commit?: string;
}

const POST_CASES: readonly PostCase[] = [
  { kind: "text", platform: "x", files: [], commit: "/2/tweets" },
  { kind: "images", platform: "x", files: ["portrait.jpg", "square.png"], commit: "/2/tweets" },
  { kind: "video", platform: "x", files: ["landscape.mp4"], commit: "/2/tweets" },
  { kind: "gif", platform: "x", files: ["animation.gif"], commit: "/2/tweets" },
  {
    kind: "quote",
    platform: "x",
    files: [],
    options: { quote_tweet_url: "https://x.com/jack/status/20" },
    commit: "/2/tweets",
  },
  { kind: "image", platform: "instagram", files: ["portrait.jpg"], commit: "/*/media_publish" },
  {
    kind: "carousel",
    platform: "instagram",
    files: ["portrait.jpg", "portrait.mp4", "portrait.jpg"],
    commit: "/*/media_publish",
  },
  { kind: "reel", platform: "instagram", files: ["portrait.mp4"], commit: "/*/media_publish" },
  {
    kind: "trial",
    platform: "instagram",
    files: ["portrait.mp4"],
    options: { trial_reel_type: "manual" },
    commit: "/*/media_publish",
  },
  { kind: "text", platform: "threads", files: [], commit: "/*/threads_publish" },
  { kind: "image", platform: "threads", files: ["portrait.jpg"], commit: "/*/threads_publish" },
  { kind: "video", platform: "threads", files: ["portrait.mp4"], commit: "/*/threads_publish" },
  { kind: "carousel", platform: "threads", files: ["portrait.jpg", "portrait.mp4"], commit: "/*/threads_publish" },
  { kind: "text", platform: "facebook", files: [], commit: "/*/feed" },
  { kind: "image", platform: "facebook", files: ["portrait.jpg"], commit: "/*/feed" },
  { kind: "images", platform: "facebook", files: ["portrait.jpg", "portrait.jpg"], commit: "/*/feed" },
  { kind: "reel", platform: "facebook", files: ["portrait.mp4"], commit: "/*/video_reels" },
  {
    kind: "video",
    platform: "facebook",
    files: ["landscape.mp4"],
    options: { placement: "timeline" },
    commit: "/*/videos",
  },
];

/** Platforms whose posts need more than this suite does for each of them. */
const LEFT_OUT = {
  tiktok: "the last chunk of an upload is the visible call: test/platforms/tiktok/simulated.test.ts",
  youtube: "the last chunk of an upload is the visible call: test/platforms/youtube/simulated.test.ts",
  linkedin: "the simulator accepts only API versions of the test's own year: test/platforms/linkedin/simulated.test.ts",
  pinterest: "a post is one pin on each board: test/platforms/pinterest/simulated.test.ts",
} as const satisfies Partial<Record<Platform, string>>;

/** A platform without cases of its own publishes its smallest post. */
function casesOf(platform: Platform): readonly PostCase[] {
  const cases = POST_CASES.filter((one) => one.platform === platform);
  const { files, options } = sampleOf(platform).post;
  return cases.length > 0 ? cases : [{ kind: "smallest post", platform, files, options }];
}

const COMMIT_FAULTS = ["nothing", "drop_before", "drop_after", "answer_after"] as const;

const TESTED_CASES = PLATFORMS.filter((platform) => !(platform in LEFT_OUT)).flatMap(casesOf);

describe.each(TESTED_CASES)("$platform $kind", ({ kind, platform, files, options, commit }) => {
  test.for(COMMIT_FAULTS)("is published once after %s", async (effect, { expect }) => {
    const adapter = adapterOf(platform);
    const account = await firstAccount(adapter);
    const media = await Promise.all(
      files.map((name) => sampleMedia(name, name.endsWith(".gif") ? { facts: { animated: true } } : {})),
    );
    const caption = `A ${kind} for ${platform} and ${effect} & <more>`;
    const result = await publishUntilSettled(adapter, account, { caption, media, options: options ?? {} }, async () => {
      if (effect !== "nothing") {
        const match: JsonObject = commit === undefined ? {} : { method: "POST", path: commit };
        await injectFault(adapter, {
          match,
          times: 1,
          effect,
          ...(effect === "answer_after" && { status: 503, body: "sorry" }),
        });
      }
    });
    expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(adapter, account.platformAccountId)).filter((entry) =>
      entry.text.startsWith(caption),
    );
    expect(posts, result.steps.join(" ")).toHaveLength(1);
    expect(posts[0]?.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
    if (result.state === "published") {
      expect({ id: result.remoteId, url: result.url }).toEqual({ id: posts[0]?.id, url: posts[0]?.url });
    }
  });
});
