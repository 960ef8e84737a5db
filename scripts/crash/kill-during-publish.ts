import { type Platform, PLATFORMS } from "#core/platform.ts";
import { sleep } from "../service.ts";
import { type ApiClient } from "./api-client.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { postsWithMarker, readPublishedPosts } from "./published-posts.ts";
import { createSandboxUser, previewTarget, requiresMedia, type SandboxUser } from "./sandbox-user.ts";

/** Each round has its own user, because TikTok accepts fifteen posts a day per account. */
const POSTS_PER_PLATFORM = 10;
/** Long enough to preview and confirm the posts of all platforms on a busy machine. */
const SCHEDULE_AHEAD_PER_PLATFORM_MS = 5000;
/** Each platform answers this much later than the previous one, so that a kill finds some calls answered and others in flight. */
const LATENCY_STEP_MS = 100;
/** On a busy machine the first calls leave half a second after the due time. */
const KILL_DELAY_RANGE_MS = [300, 1800] as const;
const POLL_MS = 250;
const CRON_EVERY_MS = 60_000;
const MAX_WAIT_MS = 400_000;
const MAX_END_MS = 60_000;
/**
 * The limit for posts whose call never arrived on these platforms: they list new posts late, so the service waits three minutes
 * before it sends again, and five on the last of them.
 */
const LATE_LISTING_MAX_END_MS: Partial<Record<Platform, number>> = {
  facebook: 210_000,
  mastodon: 210_000,
  pinterest: 345_000,
};

/**
 * TikTok gets videos: their upload has an id before the visible call, so the service can always look up the result. It never repeats
 * the call of a photo post without an answer; such a post ends as unconfirmed after ten minutes (test/platforms/tiktok/verify.test.ts).
 */
const VIDEO_PLATFORMS: ReadonlySet<Platform> = new Set(["tiktok", "youtube"]);

/** One post of a round; it has a single target. */
interface ScheduledPost {
  readonly marker: string;
  readonly platform: Platform;
  readonly postId: string;
}

/** The results of one round. */
export interface Round {
  readonly posts: number;
  readonly killedAfterMs: number;
  /** For the posts that had not ended when the service answered again. */
  readonly recoveries: readonly Recovery[];
  readonly violations: readonly string[];
}

interface Recovery {
  readonly platform: Platform;
  /** On the platform before the kill. */
  readonly arrived: EndTimes;
  readonly notArrived: EndTimes;
}

export interface EndTimes {
  readonly posts: number;
  /** From the service's first answer after the restart until the last of these posts ended. */
  readonly lastMs: number;
}

async function schedulePost(
  client: ApiClient,
  user: SandboxUser,
  platform: Platform,
  marker: string,
  dueAt: number,
): Promise<ScheduledPost> {
  const { confirmation_token } = await client.callUntilOk(
    "POST",
    "/v1/posts/preview",
    {
      caption: `${marker} was being published when the service was killed`,
      scheduled_at: new Date(dueAt).toISOString(),
      targets: [previewTarget(user, platform)],
      ...(requiresMedia(user, platform) && {
        media_urls: [VIDEO_PLATFORMS.has(platform) ? user.videoUrl : user.imageUrl],
      }),
    },
    user.apiKey,
  );
  const { posts: created } = await client.callUntilOk("POST", "/v1/posts/confirm", { confirmation_token }, user.apiKey);
  const [post] = created as { id: string }[];
  if (!post) {
    throw new Error("the confirm response contains no post");
  }
  return { marker, platform, postId: post.id };
}

/** The posts that have not ended yet. */
async function findOpen(client: ApiClient, apiKey: string, posts: readonly ScheduledPost[]): Promise<ScheduledPost[]> {
  const responses = await Promise.all(
    posts.map(({ postId }) => client.callUntilOk("GET", `/v1/posts/${postId}`, undefined, apiKey)),
  );
  const isOpen = responses.map(({ post }) => ["scheduled", "publishing"].includes((post as { status: string }).status));
  return posts.filter((_, index) => isOpen[index]);
}

/** Violations: each post must be on its platform exactly once, and the API must say so. */
async function findMismatches(client: ApiClient, apiKey: string, posts: readonly ScheduledPost[]): Promise<string[]> {
  const mismatches: string[] = [];
  const publishedPosts = await readPublishedPosts(client, platformsOf(posts));
  for (const scheduled of posts) {
    const { marker, platform, postId } = scheduled;
    const matches = postsWithMarker(publishedPosts, platform, scheduled);
    const { post } = await client.callUntilOk("GET", `/v1/posts/${postId}`, undefined, apiKey);
    const { status, targets } = post as { status: string; targets: { platform_post_id: string | null }[] };
    if (matches.length !== 1) {
      mismatches.push(`${platform} holds ${matches.length} of ${marker}, and the API says ${status}`);
    } else if (status !== "published" || targets[0]?.platform_post_id !== matches[0]?.id) {
      mismatches.push(`${platform} holds ${marker} once, and the API says ${status}`);
    }
  }
  return mismatches;
}

const platformsOf = (posts: readonly ScheduledPost[]): Platform[] => [
  ...new Set(posts.map(({ platform }) => platform)),
];

/** What the service did with the post, one line per step. */
async function describeAttempts(client: ApiClient, apiKey: string, { postId }: ScheduledPost): Promise<string> {
  const { attempts } = await client.callUntilOk("GET", `/v1/posts/${postId}/attempts`, undefined, apiKey);
  return (attempts as object[]).map((attempt) => `\n      ${JSON.stringify(attempt)}`).join("");
}

async function runRound(
  client: ApiClient,
  random: SeededRandom,
  user: SandboxUser,
  name: string,
  restart: () => Promise<void>,
): Promise<Round> {
  const platforms = [...user.platforms.keys()];
  const dueAt = Date.now() + SCHEDULE_AHEAD_PER_PLATFORM_MS * platforms.length;
  const posts: ScheduledPost[] = [];
  for (let number = 0; number < POSTS_PER_PLATFORM; number += 1) {
    const scheduled = platforms.map((platform) =>
      schedulePost(client, user, platform, `${name}n${number}${platform}`, dueAt),
    );
    posts.push(...(await Promise.all(scheduled)));
  }
  const killedAfterMs = Math.floor(random.between(...KILL_DELAY_RANGE_MS));
  await sleep(dueAt + killedAfterMs - Date.now());
  await restart();
  const upAt = Date.now();
  const arrived = await findArrived(client, posts);
  const endTimes = await waitUntilEnded(client, user.apiKey, posts, upAt);
  const violations = await findMismatches(client, user.apiKey, posts);
  for (const [post, endedMs] of endTimes) {
    const limitMs = arrived.has(post) ? MAX_END_MS : (LATE_LISTING_MAX_END_MS[post.platform] ?? MAX_END_MS);
    if (endedMs > limitMs) {
      const attempts = await describeAttempts(client, user.apiKey, post);
      violations.push(
        `${post.marker}, due at ${new Date(dueAt).toISOString()}, ended ${(endedMs / 1000).toFixed(1)} s after the restart:${attempts}`,
      );
    }
  }
  const summarize = (platform: Platform, hasArrived: boolean): EndTimes => {
    const late = [...endTimes].flatMap(([post, endedMs]) =>
      post.platform === platform && arrived.has(post) === hasArrived ? endedMs : [],
    );
    return { posts: late.length, lastMs: Math.max(0, ...late) };
  };
  return {
    posts: posts.length,
    killedAfterMs,
    recoveries: platforms.map((platform) => ({
      platform,
      arrived: summarize(platform, true),
      notArrived: summarize(platform, false),
    })),
    violations,
  };
}

/** The posts that are on their platforms now. */
async function findArrived(client: ApiClient, posts: readonly ScheduledPost[]): Promise<Set<ScheduledPost>> {
  const publishedPosts = await readPublishedPosts(client, platformsOf(posts));
  return new Set(posts.filter((post) => postsWithMarker(publishedPosts, post.platform, post).length > 0));
}

/** Returns when each post that is still open ended, in ms after the restart; runs cron each minute, as in production. */
async function waitUntilEnded(
  client: ApiClient,
  apiKey: string,
  posts: readonly ScheduledPost[],
  upAt: number,
): Promise<Map<ScheduledPost, number>> {
  const endTimes = new Map<ScheduledPost, number>();
  let open = await findOpen(client, apiKey, posts);
  for (let cronAt = upAt + CRON_EVERY_MS; open.length > 0 && Date.now() < upAt + MAX_WAIT_MS;) {
    await sleep(POLL_MS);
    if (Date.now() > cronAt) {
      cronAt += CRON_EVERY_MS;
      await client.call("POST", "/sandbox/cron", {});
    }
    const stillOpen = await findOpen(client, apiKey, open);
    for (const post of open) {
      endTimes.set(post, Date.now() - upAt);
    }
    open = stillOpen;
  }
  return endTimes;
}

/** Kills the service while posts to the platforms are being published, and waits until all have ended; yields each round. */
export async function* killDuringPublish(
  client: ApiClient,
  random: SeededRandom,
  origin: string,
  restart: () => Promise<void>,
  { rounds, platforms = PLATFORMS }: { readonly rounds: number; readonly platforms?: readonly Platform[] },
): AsyncGenerator<Round> {
  for (const [index, platform] of platforms.entries()) {
    await client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, {
      latency_ms: index * LATENCY_STEP_MS,
    });
  }
  for (let number = 0; number < rounds; number += 1) {
    yield await runRound(client, random, await createSandboxUser(client, origin, platforms), `r${number}`, restart);
  }
}
