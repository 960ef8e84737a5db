import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Platform } from "#core/platform.ts";
import { openDb } from "#db/client.ts";
import { startReview } from "#restore/store-service.ts";
import { localDatabaseFile } from "../backup/local.ts";
import { localD1 } from "../backup/local-d1.ts";
import { type Service, sleep } from "../service.ts";
import { ApiClient } from "./api-client.ts";
import { readPublishedPosts } from "./published-posts.ts";
import { partMarker } from "./expected-posts.ts";
import { startPatiently } from "./restart.ts";
import { createSandboxUser, previewTarget, type SandboxUser, takesOption } from "./sandbox-user.ts";

/*
 * Swaps the files of the database for older ones and keeps the objects, or erases the storage of every post's object and keeps the
 * database. The simulators keep their state. In between, posts are published, cancelled, edited and half published. Afterwards no
 * platform may have a post twice, after its cancel or with its old words, and the API must tell the truth.
 */

/** What is lost. */
export type LostState = "database" | "objects";

/** Time enough to stop the service, copy its database and start it again on a busy machine. */
const DUE_AFTER_MS = 75_000;
/** The posts that are being published when the service is killed. */
const MID_PUBLISH_AFTER_MS = 12_000;
/** Still ahead when the database is put back. */
const AHEAD_AFTER_MS = 120_000;
const KILL_DELAY_MS = 900;
const LATENCY_MS = 1500;
const CRON_EVERY_MS = 3000;
const HELD_FOR_MS = 12_000;
/** The lease of a lost run, five minutes, and the time to look at the platforms. */
const MAX_WAIT_MS = 480_000;

/** `copies`: how many a platform has at the end, by what was lost. */
const SCENARIOS = {
  published: { dueAfterMs: 0, edit: null, cancel: false, copies: { database: 1, objects: 1 } },
  cancelled: { dueAfterMs: 0, edit: null, cancel: true, copies: { database: 0, objects: 0 } },
  edited: { dueAfterMs: 0, edit: { words: true, days: 0 }, cancel: false, copies: { database: 1, objects: 1 } },
  far_edit: { dueAfterMs: 0, edit: { words: false, days: 10 }, cancel: false, copies: { database: 0, objects: 0 } },
  mid_publish: { dueAfterMs: MID_PUBLISH_AFTER_MS, edit: null, cancel: false, copies: { database: 1, objects: 1 } },
  cancelled_ahead: { dueAfterMs: AHEAD_AFTER_MS, edit: null, cancel: true, copies: { database: 0, objects: 0 } },
  edited_ahead: {
    dueAfterMs: AHEAD_AFTER_MS,
    edit: { words: true, days: 0 },
    cancel: false,
    copies: { database: 0, objects: 1 },
  },
  untouched_ahead: { dueAfterMs: AHEAD_AFTER_MS, edit: null, cancel: false, copies: { database: 1, objects: 1 } },
  /** Killed between two of its parts, where the platform takes threads. */
  thread: { dueAfterMs: 0, edit: null, cancel: false, copies: { database: 1, objects: 1 } },
} as const;
type Scenario = keyof typeof SCENARIOS;

interface ScheduledPost {
  readonly id: string;
  readonly marker: string;
  readonly platform: Platform;
  readonly scenario: Scenario;
}

export interface LossReport {
  readonly posts: number;
  readonly acceptedBeforeLoss: number;
  readonly doubled: number;
  readonly afterCancel: number;
  readonly oldWords: number;
  readonly missing: number;
  readonly untrue: number;
  readonly sentWhileHeld: number;
  /** Per scenario and status, how many posts ended so. */
  readonly statuses: ReadonlyMap<string, number>;
}

/** More than a platform publishes until the kill. */
const FURTHER_PARTS = 12;
const partsOf = (marker: string) =>
  Array.from({ length: FURTHER_PARTS }, (_, index) => `${partMarker(marker, index)} goes on with what came before`);

export const oldWords = (marker: string) => `${marker} as it was before the edit`;
export const newWords = (marker: string) => `${marker} as it is after the edit`;

export async function loseState({
  lost,
  start,
  stateDir,
  platforms,
}: {
  readonly lost: LostState;
  readonly start: () => Promise<Service>;
  readonly stateDir: string;
  readonly platforms: readonly Platform[];
}): Promise<LossReport> {
  let service = await startPatiently(start);
  const database = join(stateDir, "v3", "d1");
  const saved = join(stateDir, "saved-d1");
  const client = new ApiClient(service.origin);
  const stopCron = new AbortController();
  try {
    const user = await createSandboxUser(client, service.origin, platforms);
    void runCronUntil(client, stopCron.signal);
    const dueAt = Date.now() + DUE_AFTER_MS;
    const posts = await schedulePosts(client, user, platforms, dueAt, lost);
    await service.stop();
    await cp(database, saved, { recursive: true });
    service = await startPatiently(start);
    await changePosts(client, user, posts, dueAt);
    for (const platform of platforms) {
      await client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, { latency_ms: LATENCY_MS });
    }
    await sleep(Math.max(0, dueAt + MID_PUBLISH_AFTER_MS + KILL_DELAY_MS - Date.now()));
    await service.kill();
    if (lost === "database") {
      await rm(database, { recursive: true });
      await cp(saved, database, { recursive: true });
    } else {
      await eraseObjects(stateDir);
    }
    service = await startPatiently(start);
    for (const platform of platforms) {
      await client.callUntilOk("POST", `/sandbox/platforms/${platform}/settings`, { latency_ms: 0 });
    }
    const acceptedBeforeLoss = await countAccepted(client, platforms);
    // Reads must not bring anything back either.
    for (const deadline = Date.now() + HELD_FOR_MS; Date.now() < deadline; await sleep(1000)) {
      await client.callUntilOk("GET", "/v1/posts?limit=50&include_past=true", undefined, user.apiKey);
    }
    const sentWhileHeld = (await countAccepted(client, platforms)) - acceptedBeforeLoss;
    if (lost === "database") {
      await startReview(openDb(localD1(localDatabaseFile("sandbox", stateDir))));
    }
    await waitUntilSettled(client, user, posts, lost);
    return { ...(await readReport(client, user, posts, platforms, lost)), acceptedBeforeLoss, sentWhileHeld };
  } finally {
    stopCron.abort();
    await service.stop();
  }
}

/** Erases the storage of the posts' Durable Objects and keeps the simulators' storage. */
async function eraseObjects(stateDir: string): Promise<void> {
  const folder = join(stateDir, "v3", "do");
  const names = (await readdir(folder)).filter((name) => /PostPublisher|DatabaseWatch/.test(name));
  if (names.length === 0) {
    throw new Error(`no storage of objects in ${folder}`);
  }
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true })));
}

async function runCronUntil(client: ApiClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await client.call("POST", "/sandbox/cron", {});
    await sleep(CRON_EVERY_MS);
  }
}

async function schedulePosts(
  client: ApiClient,
  user: SandboxUser,
  platforms: readonly Platform[],
  dueAt: number,
  lost: LostState,
): Promise<ScheduledPost[]> {
  const posts: ScheduledPost[] = [];
  for (const scenario of Object.keys(SCENARIOS) as Scenario[]) {
    // A restored database sends nothing, so a thread stops like any other post.
    const hasThread = scenario === "thread";
    const used = platforms.filter((one) => !hasThread || (lost === "objects" && takesOption(user, one, "thread")));
    for (const platform of used) {
      const marker = `r${posts.length}-${scenario.replaceAll("_", "-")}`;
      const { confirmation_token } = await client.callUntilOk(
        "POST",
        "/v1/posts/preview",
        {
          caption: oldWords(marker),
          scheduled_at: new Date(dueAt + SCENARIOS[scenario].dueAfterMs).toISOString(),
          targets: [
            previewTarget(user, platform, hasThread ? { thread: partsOf(marker).map((caption) => ({ caption })) } : {}),
          ],
        },
        user.apiKey,
      );
      const body = await client.callUntilOk("POST", "/v1/posts/confirm", { confirmation_token }, user.apiKey);
      const [post] = body["posts"] as { id: string }[];
      if (!post) {
        throw new Error("the confirm response contains no post");
      }
      posts.push({ id: post.id, marker, platform, scenario });
    }
  }
  return posts;
}

/** What the users do after the time to which the database is put back. */
async function changePosts(
  client: ApiClient,
  user: SandboxUser,
  posts: readonly ScheduledPost[],
  dueAt: number,
): Promise<void> {
  for (const { id, marker, scenario } of posts) {
    const { edit, cancel, dueAfterMs } = SCENARIOS[scenario];
    if (cancel) {
      await client.callUntilOk("DELETE", `/v1/posts/${id}`, { confirm: true }, user.apiKey);
    }
    if (edit) {
      const change = {
        post_ids: [id],
        ...(edit.words && { caption: newWords(marker) }),
        ...(edit.days > 0 && { scheduled_at: new Date(dueAt + dueAfterMs + edit.days * 86_400_000).toISOString() }),
      };
      const { confirmation_token } = await client.callUntilOk("POST", "/v1/posts/edit/preview", change, user.apiKey);
      await client.callUntilOk("POST", "/v1/posts/edit/confirm", { confirmation_token }, user.apiKey);
    }
  }
}

async function countAccepted(client: ApiClient, platforms: readonly Platform[]): Promise<number> {
  const published = await Promise.all(platforms.map((platform) => client.publishedPosts(platform)));
  return published.flat().length;
}

/** `unconfirmed` where the API says that nobody can tell whether the post is public. */
async function readStatus(client: ApiClient, user: SandboxUser, { id }: ScheduledPost): Promise<string> {
  const { post } = await client.callUntilOk("GET", `/v1/posts/${id}`, undefined, user.apiKey);
  const { status, targets } = post as { status: string; targets: { status: string }[] };
  return status === "failed" && targets.some((target) => target.status === "unconfirmed") ? "unconfirmed" : status;
}

async function waitUntilSettled(
  client: ApiClient,
  user: SandboxUser,
  posts: readonly ScheduledPost[],
  lost: LostState,
): Promise<void> {
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; await sleep(2000)) {
    const statuses = await Promise.all(posts.map((post) => readStatus(client, user, post)));
    // A post that was moved to a far day waits for it, unless the move was undone.
    const isWaitedFor = (index: number): boolean => {
      const post = posts[index];
      return lost === "database" || !post || (SCENARIOS[post.scenario].edit?.days ?? 0) === 0;
    };
    const isOpen = (status: string, index: number) =>
      status === "publishing" || (status === "scheduled" && isWaitedFor(index));
    if (!statuses.some(isOpen)) {
      return;
    }
  }
}

async function readReport(
  client: ApiClient,
  user: SandboxUser,
  posts: readonly ScheduledPost[],
  platforms: readonly Platform[],
  lost: LostState,
): Promise<Omit<LossReport, "acceptedBeforeLoss" | "sentWhileHeld">> {
  const published = await readPublishedPosts(client, platforms);
  const counts = { doubled: 0, afterCancel: 0, oldWords: 0, missing: 0, untrue: 0 };
  const statuses = new Map<string, number>();
  for (const post of posts) {
    const { cancel, edit, copies: expected } = SCENARIOS[post.scenario];
    const copies = published.get(`${post.platform} ${post.marker}`) ?? [];
    const status = await readStatus(client, user, post);
    const parts = post.scenario === "thread" ? partsOf(post.marker) : [];
    const copiesOfParts = parts.map((_, index) => {
      const ofPart = published.get(`${post.platform} ${partMarker(post.marker, index)}`) ?? [];
      return ofPart.length;
    });
    const found = parts.length > 0 ? `, ${copiesOfParts.filter((count) => count > 0).length} further parts` : "";
    const key = `${post.scenario}: ${copies.length} on the platform${found}, ${status}`;
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
    counts.doubled += copies.length > 1 || copiesOfParts.some((count) => count > 1) ? 1 : 0;
    counts.missing += status === "published" && copiesOfParts.includes(0) ? 1 : 0;
    counts.afterCancel += cancel && copies.length > 0 ? 1 : 0;
    counts.oldWords += edit && copies.some(({ text }) => text === oldWords(post.marker)) ? 1 : 0;
    // The service never repeats a call that may have left if the platform cannot prove that the post is missing; it tells the owner.
    counts.missing += copies.length < expected[lost] && status !== "unconfirmed" ? 1 : 0;
    // The text of the older row does not find an edited post, so the service pauses it and asks its owner to look.
    const mayBePaused = lost === "database" && (copies.length === 0 || edit !== null);
    const isTrue =
      status === "unconfirmed" ||
      (status === "published" && copies.length === 1) ||
      (status === "paused" && mayBePaused) ||
      (lost === "objects" && copies.length === 0 && status === (cancel ? "cancelled" : "scheduled"));
    counts.untrue += isTrue ? 0 : 1;
  }
  return { posts: posts.length, ...counts, statuses };
}
