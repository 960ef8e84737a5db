import { type Clock, SECOND } from "#core/clock.ts";

/**
 * After this many statements a cron run begins no further sync. An invocation may run 1,000; the rest is for syncs that
 * have begun, for the last jobs, and for the reconciler, which is not counted.
 */
const MAX_STATEMENTS = 650;
/** After this time (ms) a run begins no sync, so that few runs overlap. */
const MAX_MS = 50 * SECOND;
/**
 * How many connections a run may open, because an invocation may have six. Further calls would wait while their
 * timeouts run.
 */
const CONNECTIONS = 6;

/** What a cron run may still use of its invocation. */
export interface RunBudget {
  lasts(): boolean;
  /** Ends the budget, so that this run begins nothing more. */
  end(): void;
  /** Runs work that has one open connection at a time. */
  withConnection<T>(work: () => Promise<T>): Promise<T>;
}

export function createRunBudget({
  clock,
  statements,
}: {
  readonly clock: Clock;
  readonly statements: () => number;
}): RunBudget {
  const endsAt = clock.now() + MAX_MS;
  let isEnded = false;
  let free = CONNECTIONS;
  const waiting: (() => void)[] = [];
  return {
    lasts: () => !isEnded && clock.now() < endsAt && statements() < MAX_STATEMENTS,
    end() {
      isEnded = true;
    },
    async withConnection(work) {
      if (free === 0) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        free -= 1;
      }
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) {
          next();
        } else {
          free += 1;
        }
      }
    },
  };
}
