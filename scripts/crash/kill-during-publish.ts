import type { Platform } from "#core/platform.ts";
import { type ApiClient, sleep } from "./api-client.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { postsWithMarker, readPublishedPosts } from "./check-invariants.ts";
import {
  createSandboxUser,
  CRASH_TEST_PLATFORMS,
  previewTarget,
  requiresMedia,
  type SandboxUser,
} from "./sandbox-user.ts";

const ROUNDS = 3;
const POSTS_PER_PLATFORM = 10;
/** Long enough to preview and confirm the posts of all platforms on a busy machine. */
const SCHEDULE_AHEAD_MS = 5000 * CRASH_TEST_PLATFORMS.length;
/** Each platform answers this much later than the previous one, so that a kill finds some calls answered and others in flight. */
const LATENCY_STEP_MS = 100;
const KILL_DELAY_RANGE_MS = [50, 550] as const;
const POLL_MS = 250;
const CRON_EVERY_MS = 60_000;
const MAX_WAIT_MS = 400_000;
const MAX_END_MS = 60_000;
/**
 * The limit for posts whose call never arrived on these platforms: they list new posts late, so a second one may be sent
 * only after three and, on the last of them, five minutes.
 */
const LATE_LISTING_MAX_END_MS: Partial<Record<Platform, number>> = {
  facebook: 210_000,
  mastodon: 210_000,
  pinterest: 345_000,
};

/** One post of a round; it has a single target. */
interface ScheduledPost {
  readonly marker: string;
  readonly platform: Platform;
  readonly postId: string;
}

/** The results of one round, for the posts that had not ended when the service answered again. */
export interface Round {
  readonly posts: number;
  readonly killedAfterMs: number;
  /** On their platform before the kill. */
  readonly arrived: EndTimes;
  /** Not on their platform before the kill, and the platform lists new posts late. */
  readonly listedLate: EndTimes;
  readonly others: EndTimes;
  readonly violations: readonly string[];
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
      ...(requiresMedia(user, platform) && { media_urls: [user.imageUrl] }),
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
  const publishedPosts = await readPublishedPosts(client, CRASH_TEST_PLATFORMS);
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

async function runRound(
  client: ApiClient,
  random: SeededRandom,
  user: SandboxUser,
  name: string,
  restart: () => Promise<void>,
): Promise<Round> {
  const dueAt = Date.now() + SCHEDULE_AHEAD_MS;
  const posts: ScheduledPost[] = [];
  for (let number = 0; number < POSTS_PER_PLATFORM; number += 1) {
    const scheduled = CRASH_TEST_PLATFORMS.map((platform) =>
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
      violations.push(`${post.marker} ended ${(endedMs / 1000).toFixed(1)} s after the restart`);
    }
  }
  const group = (belongs: (post: ScheduledPost) => boolean): EndTimes => {
    const late = [...endTimes].flatMap(([post, endedMs]) => (belongs(post) ? endedMs : []));
    return { posts: late.length, lastMs: Math.max(0, ...late) };
  };
  return {
    posts: posts.length,
    killedAfterMs,
    arrived: group((post) => arrived.has(post)),
    listedLate: group((post) => !arrived.has(post) && post.platform in LATE_LISTING_MAX_END_MS),
    others: group((post) => !arrived.has(post) && !(post.platform in LATE_LISTING_MAX_END_MS)),
    violations,
  };
}

/** The posts that are on their platforms now. */
async function findArrived(client: ApiClient, posts: readonly ScheduledPost[]): Promise<Set<ScheduledPost>> {
  const publishedPosts = await readPublishedPosts(client, CRASH_TEST_PLATFORMS);
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

/** Kills the service while posts to every platform are being published, and waits until all have ended; yields each round. */
export async function* killDuringPublish(
  client: ApiClient,
  random: SeededRandom,
  origin: string,
  restart: () => Promise<void>,
): AsyncGenerator<Round> {
  const user = await createSandboxUser(client, origin);
  for (const [index, platform] of CRASH_TEST_PLATFORMS.entries()) {
    await client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, {
      latency_ms: index * LATENCY_STEP_MS,
    });
  }
  for (let number = 0; number < ROUNDS; number += 1) {
    yield await runRound(client, random, user, `r${number}`, restart);
  }
}
