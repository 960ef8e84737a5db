/** Orders the states of the database. Every cron run raises `beat`; every release of publishing after a restore raises `epoch`. */
export interface DatabaseMark {
  readonly epoch: number;
  readonly beat: number;
}

/**
 * A Durable Object, outside the database, that stores the highest mark so far. A database with a lower mark was restored to an earlier
 * time.
 */
export interface DatabaseWatchApi {
  highest(): Promise<DatabaseMark>;
  remember(mark: DatabaseMark): Promise<void>;
}

export function isBehind(mark: DatabaseMark, highest: DatabaseMark): boolean {
  // mutant: no-highest-mark
  return mark.epoch < highest.epoch || (mark.epoch === highest.epoch && mark.beat < highest.beat);
}
