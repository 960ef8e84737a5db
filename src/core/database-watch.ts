/**
 * Orders the states of the database, so that a restore is noticed. Every cron run raises `beat`; every release of
 * publishing after a restore raises `epoch`.
 */
export interface DatabaseMark {
  readonly epoch: number;
  readonly beat: number;
}

/**
 * A Durable Object that stores the highest mark outside the database. If the database has a lower mark, it was restored
 * to an earlier time.
 */
export interface DatabaseWatchApi {
  highest(): Promise<DatabaseMark>;
  remember(mark: DatabaseMark): Promise<void>;
}

export function isBehind(mark: DatabaseMark, highest: DatabaseMark): boolean {
  // mutant: no-highest-mark
  return mark.epoch < highest.epoch || (mark.epoch === highest.epoch && mark.beat < highest.beat);
}
