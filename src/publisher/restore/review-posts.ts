import type { Services } from "#context.ts";
import type { RunnerSummary } from "#core/arming.ts";
import { SECOND } from "#core/clock.ts";
import { log } from "#core/log.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { releaseService } from "#restore/store-service.ts";
import { type OpenPost, recordReview, selectPostsToReview } from "./store-review.ts";

const PAGE_SIZE = 500;
const MAX_CONCURRENT_CALLS = 25;
const CALL_TIMEOUT_MS = 5 * SECOND;
/** After this time (ms) a run begins no page, so that it ends before the cron's next run. */
const RUN_BUDGET_MS = 40 * SECOND;

type ReviewServices = Pick<Services, "db" | "clock" | "ids" | "inspectRunner" | "watch">;

/**
 * Compares each post that could still be published with its Durable Object, which a restore does not put back. Posts
 * that their objects contradict are set aside. Then publishing is allowed again. The next run continues an unfinished
 * review.
 */
export async function reviewRestoredPosts(services: ReviewServices): Promise<{ readonly released: boolean }> {
  const stopAt = services.clock.now() + RUN_BUDGET_MS;
  const counts = { reviewed: 0, looked_up: 0, paused: 0 };
  for (let isLast = false; !isLast && services.clock.now() < stopAt;) {
    const page = await selectPostsToReview(services.db, PAGE_SIZE);
    const runners = await inspectAll(services, page);
    const now = services.clock.now();
    const outdated = page.flatMap((post, index) => {
      const runner = runners[index] ?? null;
      const decision = decideReview(post, runner, now);
      return decision === "keep"
        ? []
        : [
            {
              id: post.id,
              version: post.version,
              knownVersion: runner?.version ?? 0,
              lookUp: decision === "look_up",
              runId: services.ids.secretUuid(),
            },
          ];
    });
    await recordReview(services.db, { outdated, reviewedTo: page.at(-1)?.id, now });
    const lookedUp = outdated.filter(({ lookUp }) => lookUp).length;
    counts.reviewed += page.length;
    counts.looked_up += lookedUp;
    counts.paused += outdated.length - lookedUp;
    isLast = page.length < PAGE_SIZE;
    if (isLast) {
      const mark = await releaseService(services.db, await services.watch.highest(), services.clock.now());
      if (mark) {
        await services.watch.remember(mark);
      }
      log("info", "service.released", { ...counts, epoch: mark?.epoch ?? null });
      return { released: mark !== null };
    }
  }
  log("info", "service.reviewing", counts);
  return { released: false };
}

/**
 * Decides about a post after a restore. An object knows the version that last armed it, and forgets its post when the
 * post ends or is cancelled. So a post is kept only if its object still knows it. Otherwise it may already be
 * published, or somebody changed it.
 */
export function decideReview(
  post: Pick<OpenPost, "status" | "version" | "scheduledAt" | "runId">,
  runner: RunnerSummary | null,
  now: number,
): "keep" | "look_up" | "pause" {
  if (post.status === "publishing") {
    return runner?.runId === post.runId && runner.version === post.version ? "keep" : "look_up";
  }
  if (runner && runner.version <= post.version) {
    return "keep";
  }
  return post.scheduledAt <= now ? "look_up" : "pause";
}

/**
 * Asks the objects of posts what they know. Throws if one does not answer: nothing is decided without it, and the next
 * run asks again.
 */
async function inspectAll(
  services: Pick<Services, "inspectRunner">,
  posts: readonly OpenPost[],
): Promise<(RunnerSummary | null)[]> {
  const runners: (RunnerSummary | null)[] = [];
  for (let start = 0; start < posts.length; start += MAX_CONCURRENT_CALLS) {
    const group = posts.slice(start, start + MAX_CONCURRENT_CALLS);
    const answers = await Promise.all(
      group.map(({ id }) =>
        withTimeout(
          services.inspectRunner(id),
          CALL_TIMEOUT_MS,
          () => new Error(`the object of ${id} does not answer`),
        ),
      ),
    );
    runners.push(...answers);
  }
  return runners;
}
