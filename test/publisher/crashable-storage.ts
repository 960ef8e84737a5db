import type { JournalStorage } from "#publisher/journal.ts";

/**
 * The storage of an object as its process sees it: writes are visible at once and reach the disk with the next flush. When
 * the process crashes, writes that were not flushed may be lost, and every later call fails.
 */
export class CrashableStorage implements JournalStorage {
  private pending: (() => void)[] = [];
  private readonly visible = new Map<string, unknown>();
  private wiped = false;
  private alarm: number | null | undefined;
  /** While the handler of the alarm runs: whether another one was set. Deleted only when the handler has ended. */
  private handler: { replaced: boolean } | undefined;
  private crashed = false;
  private failing = false;
  /** Whether there are writes that were not flushed yet. */ get isDirty(): boolean {
    return this.pending.length > 0;
  }

  /** How often each kind of write was made; the runtime bills each as a row. */
  readonly writes: Record<string, number> = {};

  private count(write: string): void {
    this.writes[write] = (this.writes[write] ?? 0) + 1;
  }

  constructor(private readonly durable: DurableObjectStorage) {}

  readonly kv: Pick<SyncKvStorage, "get" | "put" | "delete" | "list"> = {
    get: <T>(key: string): T | undefined => {
      this.assertAlive();
      if (this.visible.has(key)) {
        return structuredClone(this.visible.get(key)) as T | undefined;
      }
      return this.wiped ? undefined : this.durable.kv.get<T>(key);
    },
    put: <T>(key: string, value: T): void => {
      this.assertAlive();
      const copy = structuredClone(value);
      this.count("put");
      this.visible.set(key, copy);
      this.pending.push(() => this.durable.kv.put(key, copy));
    },
    delete: (key: string): boolean => {
      this.assertAlive();
      this.visible.set(key, undefined);
      this.count("delete");
      this.pending.push(() => this.durable.kv.delete(key));
      return true;
    },
    list: <T>(options?: SyncKvListOptions): Iterable<[string, T]> => {
      this.assertAlive();
      const all = new Map<string, T>(this.wiped ? [] : [...this.durable.kv.list<T>(options)]);
      for (const [key, value] of this.visible) {
        if (!key.startsWith(options?.prefix ?? "")) {
          continue;
        }
        if (value === undefined) {
          all.delete(key);
        } else {
          all.set(key, structuredClone(value) as T);
        }
      }
      return all;
    },
  };

  setAlarm(at: number | Date): Promise<void> {
    this.assertAlive();
    const ms = Number(at);
    this.count("setAlarm");
    this.setAlarmTo(ms);
    return Promise.resolve();
  }

  private setAlarmTo(ms: number): void {
    this.alarm = ms;
    if (this.handler) {
      this.handler.replaced = true;
    }
    this.pending.push(() => void this.durable.setAlarm(ms));
  }

  /**
   * Runs the handler of the alarm as the runtime does: while it runs there is no alarm unless it sets one; the alarm is deleted when it has
   * ended, stays when the process dies before, and is kept for another try when it throws.
   */
  async runAlarm(alarm: () => Promise<void>): Promise<void> {
    if (this.handler || (await this.getAlarm()) === null) {
      return await this.untilCrash(alarm);
    }
    const handler = { replaced: false };
    this.handler = handler;
    try {
      await this.untilCrash(alarm);
    } finally {
      this.handler = undefined;
    }
    if (!handler.replaced && !this.crashed && !this.failing) {
      this.alarm = null;
      this.pending.push(() => void this.durable.deleteAlarm());
    }
  }

  /** Nobody learns of an error after the process has died. */
  private async untilCrash(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.crashed) {
        throw error;
      }
    }
  }

  async getAlarm(): Promise<number | null> {
    this.assertAlive();
    if (this.handler && !this.handler.replaced) {
      return null;
    }
    return this.alarm === undefined ? await this.durable.getAlarm() : this.alarm;
  }

  deleteAll(): Promise<void> {
    this.assertAlive();
    this.count("deleteAll");
    this.wiped = true;
    this.visible.clear();
    if (this.handler) {
      this.handler.replaced = true;
    }
    this.alarm = null;
    this.pending = [() => void this.durable.deleteAlarm(), () => void this.durable.deleteAll()];
    return Promise.resolve();
  }

  sync(): Promise<void> {
    this.assertAlive();
    this.flush();
    return Promise.resolve();
  }

  flush(): void {
    if (this.crashed) {
      return;
    }
    for (const write of this.pending.splice(0)) {
      write();
    }
  }

  crash(loseUnflushed: boolean): void {
    if (!loseUnflushed) {
      this.flush();
    }
    this.crashed = true;
  }

  /** Makes every call fail, as in an object that the runtime has replaced; what was not flushed is lost. */
  fail(): void {
    this.pending = [];
    this.failing = true;
  }

  private assertAlive(): void {
    if (this.crashed || this.failing) {
      throw new Error("the process has crashed");
    }
  }
}
