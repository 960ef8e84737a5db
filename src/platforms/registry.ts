import type { Platform } from "#core/platform.ts";
import type { Adapter } from "./contract.ts";

/** The first of the two registries; the other one is src/sandbox/registry.ts. */
const adapters: Partial<Record<Platform, Adapter>> = {};

export function adapterFor(platform: Platform): Adapter | undefined {
  return adapters[platform];
}
