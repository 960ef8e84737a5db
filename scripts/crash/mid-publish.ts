import { type Client, pause } from "./client.ts";
import type { Random } from "./random.ts";
import { openWorkplace, PICTURES_ONLY, PLATFORMS, targetOn, type Workplace } from "./workplace.ts";

const ROUNDS = 5;
const POSTS_EACH = 10;
const AHEAD_MS = 12_000;
/** From the first claim to well after the last record of a round's posts. */
const KILL_WITHIN_MS = 900;
const POLL_MS = 250;
const CRON_EVERY_MS = 60_000;
const TRUTH_WITHIN_MS = 60_000;

/** One post of a round and the only platform it goes to. */
interface Placed {
  readonly marker: string;
  readonly platform: string;
  readonly postId: string;
}

export interface Round {
  readonly posts: number;
  readonly killedAfterMs: number;
  /** Posts that had not ended when the service answered again. */
  readonly open: number;
  /** From the first answer after the restart to the end of the last post. */
  readonly trueAfterMs: number;
  readonly violations: readonly string[];
}

async function place(client: Client, at: Workplace, platform: string, marker: string, dueAt: number): Promise<Placed> {
  const { confirmation_token } = await client.must(
    "POST",
    "/v1/posts/preview",
    {
      caption: `${marker} v1`,
      scheduled_at: new Date(dueAt).toISOString(),
      targets: [targetOn(at, platform)],
      ...(PICTURES_ONLY.has(platform) && { media_urls: [at.imageUrl] }),
    },
    at.key,
  );
  const { posts } = await client.must("POST", "/v1/posts/confirm", { confirmation_token }, at.key);
  const [post] = posts as { id: string }[];
  if (!post) {
    throw new Error("a confirmation without a post");
  }
  return { marker, platform, postId: post.id };
}

/** The posts that have not ended yet. */
async function stillOpen(client: Client, key: string, placed: readonly Placed[]): Promise<Placed[]> {
  const posts = await Promise.all(
    placed.map(({ postId }) => client.must("GET", `/v1/posts/${postId}`, undefined, key)),
  );
  const open = posts.map(({ post }) => ["scheduled", "publishing"].includes((post as { status: string }).status));
  return placed.filter((_, at) => open[at]);
}

/** Exactly one on the platform, and the API says so. */
async function untruths(client: Client, key: string, placed: readonly Placed[]): Promise<string[]> {
  const found: string[] = [];
  const books = new Map(await Promise.all(PLATFORMS.map(async (one) => [one, await client.book(one)] as const)));
  for (const { marker, platform, postId } of placed) {
    const there = (books.get(platform) ?? []).filter(({ text }) => text.startsWith(`${marker} `));
    const { post } = await client.must("GET", `/v1/posts/${postId}`, undefined, key);
    const { status, targets } = post as { status: string; targets: { platform_post_id: string | null }[] };
    if (there.length !== 1) {
      found.push(`${platform} holds ${there.length} of ${marker}, which is said to be ${status}`);
    } else if (status !== "published" || targets[0]?.platform_post_id !== there[0]?.id) {
      found.push(`${platform} holds ${marker} once, and it is said to be ${status}`);
    }
  }
  return found;
}

async function round(
  client: Client,
  random: Random,
  at: Workplace,
  name: string,
  restart: () => Promise<void>,
): Promise<Round> {
  const dueAt = Date.now() + AHEAD_MS;
  const placed: Placed[] = [];
  for (let number = 0; number < POSTS_EACH; number += 1) {
    const these = PLATFORMS.map((platform) => place(client, at, platform, `${name}n${number}${platform}`, dueAt));
    placed.push(...(await Promise.all(these)));
  }
  const killedAfterMs = Math.floor(random.between(0, KILL_WITHIN_MS));
  await pause(dueAt + killedAfterMs - Date.now());
  await restart();
  const upAt = Date.now();
  let open = await stillOpen(client, at.key, placed);
  const openAtFirst = open.length;
  for (let cronAt = upAt + CRON_EVERY_MS; open.length > 0 && Date.now() < upAt + 3 * TRUTH_WITHIN_MS;) {
    await pause(POLL_MS);
    if (Date.now() > cronAt) {
      cronAt += CRON_EVERY_MS;
      await client.call("POST", "/sandbox/cron", {});
    }
    open = await stillOpen(client, at.key, open);
  }
  const trueAfterMs = Date.now() - upAt;
  const violations = await untruths(client, at.key, placed);
  if (trueAfterMs > TRUTH_WITHIN_MS) {
    violations.push(`the last post ended ${(trueAfterMs / 1000).toFixed(1)} s after the restart`);
  }
  return { posts: placed.length, killedAfterMs, open: openAtFirst, trueAfterMs, violations };
}

/** Kills everything while posts of every platform are on their way, and waits for the truth. */
export async function killInMidPublish(
  client: Client,
  random: Random,
  origin: string,
  restart: () => Promise<void>,
): Promise<readonly Round[]> {
  const at = await openWorkplace(client, origin);
  const rounds: Round[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    rounds.push(await round(client, random, at, `r${number}`, restart));
  }
  return rounds;
}
