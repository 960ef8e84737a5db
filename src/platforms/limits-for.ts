import type { JsonObject } from "#core/json.ts";
import type { Adapter, AppCredentials, PlatformLimits } from "./contract.ts";

type LimitedAdapter = Pick<Adapter, "limits" | "limitsOf">;

export function limitsFor(
  adapter: LimitedAdapter,
  capabilities: JsonObject,
  settings: AppCredentials["settings"] = {},
): PlatformLimits {
  return adapter.limitsOf?.(capabilities, settings) ?? adapter.limits;
}

/** The limits of one account, if they differ from those of its platform; otherwise null. */
export function ownLimits(
  adapter: LimitedAdapter,
  capabilities: JsonObject,
  settings: AppCredentials["settings"] = {},
): PlatformLimits | null {
  const own = limitsFor(adapter, capabilities, settings);
  const common = limitsFor(adapter, {}, settings);
  return own === common || JSON.stringify(own) === JSON.stringify(common) ? null : own;
}
