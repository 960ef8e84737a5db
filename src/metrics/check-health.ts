import type { Services } from "#context.ts";
import { MINUTE, SECOND } from "#core/clock.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { readService } from "#restore/store-service.ts";

/** After this time (ms) without a run the cron counts as late, so that two runs may fail. */
export const CRON_LATE_MS = 3 * MINUTE;
const TIMEOUT_MS = 5 * SECOND;

/**
 * The parts of the service whose health is checked. `publishing` fails while a restored database is held, or while the
 * operator holds publishing.
 */
type HealthPart = "database" | "tokens" | "media" | "objects" | "cron" | "publishing";

/** For each part `ok`, or a few words that say what is wrong. */
export type Health = Readonly<Record<HealthPart, string>>;

/** Checks every part once, in parallel. A part that does not answer within five seconds fails. */
export async function checkHealth(
  services: Pick<Services, "bucket" | "clock" | "config" | "db" | "tokens" | "watch">,
): Promise<Health> {
  const { bucket, clock, config, db, tokens, watch } = services;
  const row = ask(readService(db));
  const afterRow = async (read: (row: { readonly beat: number; readonly held: string | null }) => string) => {
    const answer = await row;
    return typeof answer === "string" ? "the database does not answer" : read(answer.value);
  };
  const parts = {
    database: stateOf(row),
    tokens: stateOf(ask(tokens.get("health"))),
    media: stateOf(ask(bucket.head("health"))),
    objects: stateOf(ask(watch.highest())),
    // Each run of the cron stores its time as a heartbeat.
    cron: afterRow(({ beat, held }) =>
      held !== null || clock.now() - beat <= CRON_LATE_MS
        ? "ok"
        : beat === 0
          ? "it has not run yet"
          : `the last run was ${Math.floor((clock.now() - beat) / MINUTE)} minutes ago`,
    ),
    publishing: afterRow(({ held }) =>
      held !== null
        ? "the database was put back, and publishing is held"
        : config.publishingHeld
          ? "PUBLISHING=hold"
          : "ok",
    ),
  } satisfies Record<HealthPart, Promise<string>>;
  const entries = Object.entries(parts).map(async ([part, state]) => [part, await state] as const);
  return Object.fromEntries(await Promise.all(entries)) as Record<HealthPart, string>;
}

/**
 * Returns the value, or says why there is none. The runtime's own error is not shown, because it may contain internals.
 */
async function ask<T>(work: Promise<T>): Promise<{ readonly value: T } | string> {
  try {
    return { value: await withTimeout(work, TIMEOUT_MS, () => new Error("timeout")) };
  } catch {
    return "does not answer";
  }
}

async function stateOf(answer: Promise<{ readonly value: unknown } | string>): Promise<string> {
  const known = await answer;
  return typeof known === "string" ? known : "ok";
}
