import type { JournalStorage } from "#publisher/journal.ts";

/**
 * The storage of an object as a process sees it: writes are seen at once and reach the disk with the next flush. When the
 * process dies, what was not flushed may be lost and nothing it still tries succeeds.
 */
export class CrashableStorage implements JournalStorage {
  private pending: (() => void)[] = [];
  private readonly seen = new Map<string, unknown>();
  private wiped = false;
  private alarm: number | null | undefined;
  private dead = false;
  /** Writes that no flush has followed yet. */
  get isDirty(): boolean {
    return this.pending.length > 0;
  }

  constructor(private readonly real: DurableObjectStorage) {}

  readonly kv: JournalStorage["kv"] = {
    get: <T>(key: string): T | undefined => {
      this.live();
      if (this.seen.has(key)) {
        return structuredClone(this.seen.get(key)) as T | undefined;
      }
      return this.wiped ? undefined : this.real.kv.get<T>(key);
    },
    put: <T>(key: string, value: T): void => {
      this.live();
      const copy = structuredClone(value);
      this.seen.set(key, copy);
      this.pending.push(() => this.real.kv.put(key, copy));
    },
    delete: (key: string): boolean => {
      this.live();
      this.seen.set(key, undefined);
      this.pending.push(() => this.real.kv.delete(key));
      return true;
    },
    list: <T>(options?: SyncKvListOptions): Iterable<[string, T]> => {
      this.live();
      const all = new Map<string, T>(this.wiped ? [] : [...this.real.kv.list<T>(options)]);
      for (const [key, value] of this.seen) {
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
    this.live();
    const ms = Number(at);
    this.alarm = ms;
    this.pending.push(() => void this.real.setAlarm(ms));
    return Promise.resolve();
  }

  async getAlarm(): Promise<number | null> {
    this.live();
    return this.alarm === undefined ? await this.real.getAlarm() : this.alarm;
  }

  deleteAll(): Promise<void> {
    this.live();
    this.wiped = true;
    this.seen.clear();
    this.alarm = null;
    this.pending = [() => void this.real.deleteAlarm(), () => void this.real.deleteAll()];
    return Promise.resolve();
  }

  sync(): Promise<void> {
    this.live();
    this.flush();
    return Promise.resolve();
  }

  flush(): void {
    if (this.dead) {
      return;
    }
    for (const write of this.pending.splice(0)) {
      write();
    }
  }

  die(loseUnflushed: boolean): void {
    if (!loseUnflushed) {
      this.flush();
    }
    this.dead = true;
  }

  private live(): void {
    if (this.dead) {
      throw new Error("the process is dead");
    }
  }
}
