import { sleep } from "../service.ts";
import { type ApiClient } from "./api-client.ts";
import { findEventViolations, findMissing, findOvertaken, type HookState, isAccepted } from "./check-events.ts";
import type { Violation } from "./check-invariants.ts";
import { type DatabaseState, readDatabase } from "./read-database.ts";
import type { WebhookReceivers } from "./webhook-receivers.ts";

export interface WebhookReport {
  readonly violations: readonly Violation[];
  readonly events: number;
  /** Accepted by a receiver. */
  readonly delivered: number;
  /** Answered in another way than with 2xx, or not at all. */
  readonly failedTries: number;
  /** How many tries arrived, by what the receiver answered. */
  readonly tries: ReadonlyMap<string, number>;
}

const CHECK_EVERY_MS = 2000;

interface Checked {
  readonly client: ApiClient;
  readonly receivers: WebhookReceivers;
  readonly stateDir: string;
}

/** Reads the database last, so that it contains everything that the receivers have got. */
async function readBoth({
  receivers,
  stateDir,
}: Checked): Promise<{ hooks: readonly HookState[]; violations: readonly Violation[]; database: DatabaseState }> {
  const received = await receivers.read();
  return { ...received, database: await readDatabase(stateDir) };
}

/** Finds what is wrong, given that every event up to an instant must have arrived. */
export async function findWebhookViolations(checked: Checked, deliveredUntil: number): Promise<readonly Violation[]> {
  const { hooks, violations, database } = await readBoth(checked);
  return [...violations, ...findEventViolations(database, hooks, deliveredUntil), ...findOvertaken(database, hooks)];
}

function countTries(hooks: readonly HookState[]): ReadonlyMap<string, number> {
  const tries = new Map<string, number>();
  for (const { answered } of hooks.flatMap(({ received }) => received)) {
    const name = answered === null ? "no answer" : String(answered);
    tries.set(name, (tries.get(name) ?? 0) + 1);
  }
  return tries;
}

/** Lets the receivers recover, waits until everything that has happened arrived or `maxWaitMs` is over, and compares; runs cron meanwhile. */
export async function checkWebhooks(checked: Checked, maxWaitMs: number): Promise<WebhookReport> {
  await checked.receivers.recover();
  const until = Date.now();
  for (;;) {
    const { hooks, violations, database } = await readBoth(checked);
    if (findMissing(database, hooks, until).length === 0 || Date.now() > until + maxWaitMs) {
      return {
        violations: [...violations, ...findEventViolations(database, hooks, maxWaitMs === 0 ? 0 : until)],
        events: database.events.length,
        delivered: hooks.reduce(
          (sum, { received }) => sum + new Set(received.filter(isAccepted).map(({ id }) => id)).size,
          0,
        ),
        failedTries: hooks.reduce((sum, { received }) => sum + received.filter((one) => !isAccepted(one)).length, 0),
        tries: countTries(hooks),
      };
    }
    await checked.client.call("POST", "/sandbox/cron", {});
    await sleep(CHECK_EVERY_MS);
  }
}
