/** How far the database has come: `beat` rises with every cron run, `epoch` whenever publishing is released after a restore. */
export interface DatabaseMark {
  readonly epoch: number;
  readonly beat: number;
}

/** The Durable Object outside the database that remembers its highest mark; a database below it was put back. */
export interface DatabaseWatchApi {
  highest(): Promise<DatabaseMark>;
  remember(mark: DatabaseMark): Promise<void>;
}

export function isBehind(mark: DatabaseMark, highest: DatabaseMark): boolean {
  // mutant: no-highest-mark
  return mark.epoch < highest.epoch || (mark.epoch === highest.epoch && mark.beat < highest.beat);
}
