import { sleep } from "../service.ts";
import { type ApiClient } from "./api-client.ts";
import type { TrafficGenerator } from "./traffic-generator.ts";
import { findPlatformViolations, type Violation } from "./check-invariants.ts";
import { readPublishedPosts } from "./published-posts.ts";
import { PLATFORMS } from "#core/platform.ts";

const CHECK_EVERY_MS = 1500;
/** The reconciler finds a post without an alarm 20 s after its confirmation, in the next cron run (every 5 s here); 10 s are left for a busy machine. */
const OVERDUE_MS = 35_000;
/** A secret in the log of the service or the simulators. */
export const LEAK = "leak";
const OVERDUE_VIOLATION = "I2 still scheduled";

/** Whether a pattern is about webhooks, whose violations begin with W. */
export const expectsWebhookViolation = (patterns: readonly RegExp[]): boolean =>
  patterns.some(({ source }) => source.startsWith("^W"));

/** Posts that are still scheduled although they are long overdue; one that waits is due at its next try. */
async function findOverduePosts(client: ApiClient, users: readonly TrafficGenerator[]): Promise<Violation[]> {
  const until = new Date(Date.now() - OVERDUE_MS).toISOString();
  const lists = await Promise.all(
    users.map(({ apiKey }) =>
      client.callUntilOk(
        "GET",
        `/v1/posts?status=scheduled&include_past=true&until=${until}&limit=100`,
        undefined,
        apiKey,
      ),
    ),
  );
  return lists
    .flatMap(({ posts }) => posts as { id: string; caption: string; targets: { next_attempt_at: string | null }[] }[])
    .filter(({ targets }) => !targets.some(({ next_attempt_at: at }) => at !== null && at > until))
    .map(({ id, caption }) => ({
      invariant: "I2",
      marker: caption.split(" ")[0] ?? "",
      what: `still scheduled (${id})`,
    }));
}

/** Checks the run until it ends; returns the first violation that matches a pattern, or undefined. */
export async function findFirstViolation(
  client: ApiClient,
  patterns: readonly RegExp[],
  users: readonly TrafficGenerator[],
  hasEnded: () => boolean,
  findLeaksInLog: () => Promise<readonly string[]>,
  findWebhookViolations: () => Promise<readonly Violation[]>,
): Promise<Violation | undefined> {
  while (patterns.length > 0 && !hasEnded()) {
    await sleep(CHECK_EVERY_MS);
    const publishedPosts = await readPublishedPosts(client, PLATFORMS);
    const platformViolations = users
      .flatMap(({ expectedPosts }) => expectedPosts)
      .flatMap((post) => findPlatformViolations(post, publishedPosts));
    const overdue = patterns.some((pattern) => pattern.test(OVERDUE_VIOLATION))
      ? await findOverduePosts(client, users)
      : [];
    const leaks = patterns.some((pattern) => pattern.test(LEAK)) ? await findLeaksInLog() : [];
    const leaked = leaks.map((what) => ({ invariant: LEAK, marker: "", what }));
    const webhookViolations = expectsWebhookViolation(patterns) ? await findWebhookViolations() : [];
    const violations = [...platformViolations, ...overdue, ...leaked, ...webhookViolations];
    const match = violations.find(({ invariant, what }) =>
      patterns.some((pattern) => pattern.test(`${invariant} ${what}`)),
    );
    if (match) {
      return match;
    }
  }
  return undefined;
}
