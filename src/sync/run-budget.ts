import { type Clock, SECOND } from "#core/clock.ts";

/**
 * A cron run begins no further sync after this many statements. An invocation may run 1,000; the rest is for syncs that have begun, for the
 * jobs that come last, and for the reconciler, whose statements are not counted.
 */
const MAX_STATEMENTS = 650;
/** A run begins no sync later than this, so that few runs overlap. */
const MAX_MS = 50 * SECOND;
/** An invocation may have six open connections. More calls would wait, and their time limits run. */
const CONNECTIONS = 6;

/** What a cron run may still use of an invocation. */
export interface RunBudget {
  lasts(): boolean;
  /** Ends the budget: nothing more can be done in this run. */
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
