import type { JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "./contract.ts";

/** The records of one kind that a simulator stores, by id. */
export interface RecordTable<T> {
  find(sim: SimulatorContext, id: string): T | undefined;
  save(sim: SimulatorContext, id: string, record: T): void;
  remove(sim: SimulatorContext, id: string): void;
  /** All records in ascending order of their ids. */
  list(sim: SimulatorContext): readonly T[];
  /**
   * Saves what `change` returns for each record; undefined leaves a record unchanged. Returns how many records changed.
   */
  update(sim: SimulatorContext, change: (record: T) => T | undefined): number;
}

/** Only a table writes below its prefix, so the casts of what it reads are safe; there are none elsewhere. */
export function recordTable<T extends object>(prefix: `${string}:`): RecordTable<T> {
  const save = (sim: SimulatorContext, key: string, record: T) => sim.store.put(key, record as unknown as JsonValue);
  const entries = (sim: SimulatorContext) =>
    sim.store.list(prefix) as unknown as readonly (readonly [key: string, record: T])[];
  return {
    find: (sim, id) => sim.store.get(prefix + id) as unknown as T | undefined,
    save: (sim, id, record) => save(sim, prefix + id, record),
    remove: (sim, id) => sim.store.delete(prefix + id),
    list: (sim) => entries(sim).map(([, record]) => record),
    update(sim, change) {
      const changes = entries(sim).flatMap(([key, record]) => {
        const changed = change(record);
        return changed === undefined ? [] : [[key, changed] as const];
      });
      for (const [key, record] of changes) {
        save(sim, key, record);
      }
      return changes.length;
    },
  };
}
