import type { Platform } from "#core/platform.ts";
import type { Simulator } from "./contract.ts";

/** The second of the two registries; the other one is src/platforms/registry.ts. */
export const simulators: Partial<Record<Platform, Simulator>> = {};
