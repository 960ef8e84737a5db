import type { Platform } from "#core/platform.ts";
import type { Adapter } from "./contract.ts";
import { x } from "./x/index.ts";

/** The first of the two registries; the other one is src/sandbox/registry.ts. */
const adapters: Partial<Record<Platform, Adapter>> = { x };

export function adapterFor(platform: Platform): Adapter | undefined {
  return adapters[platform];
}
