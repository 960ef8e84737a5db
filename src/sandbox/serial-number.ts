import type { SimulatorContext } from "./contract.ts";

/** The next number, which increases with every call, so that records of the same millisecond have an order. */
export function nextSerialNumber(sim: SimulatorContext): number {
  const next = (sim.store.get<number>("serial") ?? 0) + 1;
  sim.store.put("serial", next);
  return next;
}
