import type { Sim } from "./contract.ts";

/** Rises with every call, so that what came in one millisecond still has an order. */
export function serial(sim: Sim): number {
  const next = (sim.store.get<number>("serial") ?? 0) + 1;
  sim.store.put("serial", next);
  return next;
}
