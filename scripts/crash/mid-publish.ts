import { type Client, pause } from "./client.ts";
import type { Random } from "./random.ts";
import { heldBy, readBooks } from "./verdict.ts";
import { openWorkplace, PICTURES_ONLY, PLATFORMS, targetOn, type Workplace } from "./workplace.ts";

const ROUNDS = 3;
const POSTS_EACH = 10;
const AHEAD_MS = 12_000;
/** Each platform answers so much later than the one before it, so that a kill finds some calls answered and some under way. */
const LATER_EACH_MS = 100;
const KILL_BETWEEN_MS = [50, 550] as const;
const POLL_MS = 250;
const CRON_EVERY_MS = 60_000;
const PATIENCE_MS = 400_000;
const TRUTH_WITHIN_MS = 60_000;
/**
 * How long it may take where the call never arrived: these two list new posts so late that a second one may only be sent
 * after three and five minutes.
 */
const LISTED_LATE_MS: Readonly<Record<string, number>> = { facebook: 210_000, pinterest: 345_000 };

/** One post of a round and the only platform it goes to. */
interface Placed {
  readonly marker: string;
  readonly platform: string;
  readonly postId: string;
}

/** What became of the posts of one round that had not ended when the service answered again. */
export interface Round {
  readonly posts: number;
  readonly killedAfterMs: number;
  /** On their platform before the kill. */
  readonly arrived: Ends;
  /** Not there, and looked for as long as the platform's list takes. */
  readonly listedLate: Ends;
  readonly others: Ends;
  readonly violations: readonly string[];
}

export interface Ends {
  readonly posts: number;
  /** From the first answer after the restart to the end of the last of them. */
  readonly lastMs: number;
}

async function place(client: Client, at: Workplace, platform: string, marker: string, dueAt: number): Promise<Placed> {
  const { confirmation_token } = await client.must(
    "POST",
    "/v1/posts/preview",
    {
      caption: `${marker} was on its way when everything was killed`,
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
  const books = await readBooks(client, PLATFORMS);
  for (const one of placed) {
    const { marker, platform, postId } = one;
    const there = heldBy(books, platform, one);
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
  const killedAfterMs = Math.floor(random.between(...KILL_BETWEEN_MS));
  await pause(dueAt + killedAfterMs - Date.now());
  await restart();
  const upAt = Date.now();
  const there = await onPlatform(client, placed);
  const ends = await untilEnded(client, at.key, placed, upAt);
  const violations = await untruths(client, at.key, placed);
  for (const [one, endedMs] of ends) {
    const limitMs = there.has(one) ? TRUTH_WITHIN_MS : (LISTED_LATE_MS[one.platform] ?? TRUTH_WITHIN_MS);
    if (endedMs > limitMs) {
      violations.push(`${one.marker} ended ${(endedMs / 1000).toFixed(1)} s after the restart`);
    }
  }
  const group = (belongs: (one: Placed) => boolean): Ends => {
    const late = [...ends].flatMap(([one, endedMs]) => (belongs(one) ? endedMs : []));
    return { posts: late.length, lastMs: Math.max(0, ...late) };
  };
  return {
    posts: placed.length,
    killedAfterMs,
    arrived: group((one) => there.has(one)),
    listedLate: group((one) => !there.has(one) && one.platform in LISTED_LATE_MS),
    others: group((one) => !there.has(one) && !(one.platform in LISTED_LATE_MS)),
    violations,
  };
}

/** Those that their platforms hold now. */
async function onPlatform(client: Client, placed: readonly Placed[]): Promise<Set<Placed>> {
  const books = await readBooks(client, PLATFORMS);
  return new Set(placed.filter((one) => heldBy(books, one.platform, one).length > 0));
}

/** When each post that is still open has ended; cron runs each minute, as it would. */
async function untilEnded(
  client: Client,
  key: string,
  placed: readonly Placed[],
  upAt: number,
): Promise<Map<Placed, number>> {
  const ends = new Map<Placed, number>();
  let open = await stillOpen(client, key, placed);
  for (let cronAt = upAt + CRON_EVERY_MS; open.length > 0 && Date.now() < upAt + PATIENCE_MS;) {
    await pause(POLL_MS);
    if (Date.now() > cronAt) {
      cronAt += CRON_EVERY_MS;
      await client.call("POST", "/sandbox/cron", {});
    }
    const left = new Set(await stillOpen(client, key, open));
    for (const one of open) {
      ends.set(one, Date.now() - upAt);
    }
    open = [...left];
  }
  return ends;
}

/** Kills everything while posts of every platform are on their way, and waits for the truth; a round at a time. */
export async function* killInMidPublish(
  client: Client,
  random: Random,
  origin: string,
  restart: () => Promise<void>,
): AsyncGenerator<Round> {
  const at = await openWorkplace(client, origin);
  for (const [index, platform] of PLATFORMS.entries()) {
    await client.must("POST", `/sandbox/platforms/${platform}/settings`, { latency_ms: index * LATER_EACH_MS });
  }
  for (let number = 0; number < ROUNDS; number += 1) {
    yield await round(client, random, at, `r${number}`, restart);
  }
}
