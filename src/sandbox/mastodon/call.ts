import type { JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Instance } from "./instances.ts";
import type { MastodonSettings } from "./settings.ts";

/** A request to an instance, and everything else that decides the response. */
export interface Call {
  readonly request: Request;
  readonly url: URL;
  readonly sim: SimulatorContext;
  readonly instance: Instance;
  readonly settings: MastodonSettings;
  readonly store: InstanceStore;
}

/** The part of the storage that belongs to one host. */
export interface InstanceStore {
  get<T>(key: string): T | undefined;
  put(key: string, value: object | string | number): void;
  delete(key: string): void;
  list<T>(prefix: string, range?: { readonly reverse?: boolean }): readonly T[];
}

export function instanceStore(sim: SimulatorContext, host: string): InstanceStore {
  const prefixed = (key: string): string => `${host}/${key}`;
  return {
    get: <T>(key: string) => sim.store.get(prefixed(key)) as T | undefined,
    put: (key, value) => sim.store.put(prefixed(key), value as JsonValue),
    delete: (key) => sim.store.delete(prefixed(key)),
    list: <T>(prefix: string, range = {}) =>
      sim.store.list(prefixed(prefix), range).map(([, value]) => value as unknown as T),
  };
}
