import type { Services } from "#context.ts";
import type { ArmHint } from "#core/arming.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { failpoint } from "#core/failpoint.ts";
import { log } from "#core/log.ts";
import type { Platform } from "#core/platform.ts";
import type { PostStatus } from "#core/status.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { setWatchAtOfUnarmed } from "./store-watch-at.ts";

/** How long (ms) after its due time a post counts as overdue, so that the reconciler checks it. */
export const WATCH_LATE_MS = MINUTE;
/** How long (ms) the Durable Object of a publishing post may be silent, before the reconciler wakes it. */
export const RUN_LEASE_MS = 5 * MINUTE;
/** How soon (ms) the reconciler checks a post whose Durable Object may not be armed. */
export const WATCH_UNARMED_MS = 20 * SECOND;
/**
 * The response waits until posts that are due within this time (ms) are armed. Later posts are armed after the
 * response.
 */
const SOON_MS = MINUTE;
/** The longest time (ms) that a response waits for arming. Arming then continues after the response. */
const ARM_BUDGET_MS = 2 * SECOND;
/** A Durable Object that does not respond within this time (ms) counts as not armed. */
const ARM_TIMEOUT_MS = 10 * SECOND;

export type ArmingServices = Pick<Services, "adapterFor" | "arm" | "clock" | "db" | "defer">;

export interface ArmablePost {
  readonly id: string;
  readonly workspaceId: string;
  readonly version: number;
  readonly status: PostStatus;
  readonly scheduledAt: number;
  readonly platforms: readonly Platform[];
  readonly media: readonly StoredMediaItem[];
  /** Whether a target has a document, which takes longer to prepare. Absent if the caller has not read the options. */
  readonly hasDocument?: boolean | undefined;
}

/** Computes when the Durable Object of a post must wake. The platform with the longest preparation decides. */
export function armHintOf({ adapterFor }: Pick<Services, "adapterFor">, post: ArmablePost): ArmHint {
  const media = post.media.map((item) => ({ ...item, facts: {} }));
  const { hasDocument = false } = post;
  return {
    postId: post.id,
    workspaceId: post.workspaceId,
    version: post.version,
    status: post.status,
    scheduledAt: post.scheduledAt,
    prepareAheadMs: Math.max(
      0,
      ...post.platforms.map((platform) => adapterFor(platform)?.prepareAheadMs({ media, hasDocument }) ?? 0),
    ),
  };
}

/**
 * Sets the alarms of committed posts. Never throws and never exceeds its time budget. If a Durable Object does not
 * respond, the reconciler arms the post soon. If the process dies first, it arms the post when it is overdue.
 */
export async function armPosts(services: ArmingServices, posts: readonly ArmablePost[]): Promise<void> {
  const soonUntil = services.clock.now() + SOON_MS;
  const soon = posts.filter(({ scheduledAt }) => scheduledAt <= soonUntil);
  const later = posts.filter(({ scheduledAt }) => scheduledAt > soonUntil);
  if (later.length > 0) {
    services.defer(afterResponse().then(() => armAndRecord(services, later)));
  }
  if (soon.length > 0) {
    const arming = armAndRecord(services, soon);
    services.defer(arming);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const budget = new Promise((resolve) => {
      timer = setTimeout(resolve, ARM_BUDGET_MS);
    });
    await Promise.race([arming, budget]);
    clearTimeout(timer);
  }
}

/** Resolves after the response is sent: the runtime sends the response before it starts a new task. */
function afterResponse(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Removes the alarms of posts that will not be published. This only saves a wake-up, so a failure does no harm. */
export function disarmPosts(
  services: Pick<Services, "arm" | "defer">,
  posts: readonly Omit<ArmablePost, "platforms" | "media" | "hasDocument">[],
): void {
  for (const { id, workspaceId, version, status, scheduledAt } of posts) {
    const hint = { postId: id, workspaceId, version, status, scheduledAt, prepareAheadMs: 0 };
    services.defer(services.arm(hint).catch((error: unknown) => logArmFailure(id, error)));
  }
}

/** Arms the posts. If the Durable Object of a post did not respond, the reconciler soon checks that post. */
async function armAndRecord(services: ArmingServices, posts: readonly ArmablePost[]): Promise<void> {
  const unarmed = await armAll(services, posts);
  if (unarmed.length === 0) {
    return;
  }
  try {
    await failpoint("arm.record_unarmed");
    await setWatchAtOfUnarmed(services.db, unarmed, services.clock.now() + WATCH_UNARMED_MS);
  } catch (error) {
    log("warn", "arm.not_recorded", { posts: unarmed.length, reason: String(error) });
  }
}

/** Arms all posts in parallel. Returns the posts whose Durable Objects did not respond. */
async function armAll(
  services: Pick<Services, "adapterFor" | "arm">,
  posts: readonly ArmablePost[],
): Promise<ArmablePost[]> {
  const armed = await Promise.all(posts.map((post) => armOne(services, post)));
  return posts.filter((_, index) => !armed[index]);
}

async function armOne(services: Pick<Services, "adapterFor" | "arm">, post: ArmablePost): Promise<boolean> {
  try {
    await failpoint("arm.before");
    const answer = await withTimeout(
      services.arm(armHintOf(services, post)),
      ARM_TIMEOUT_MS,
      () => new Error(`no answer within ${ARM_TIMEOUT_MS} ms`),
    );
    return answer === "armed" || answer === "running";
  } catch (error) {
    logArmFailure(post.id, error);
    return false;
  }
}

function logArmFailure(postId: string, error: unknown): void {
  log("warn", "arm.failed", { postId, reason: String(error) });
}
