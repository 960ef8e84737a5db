import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { Services } from "#context.ts";
import { configuredPlatform } from "#accounts/configured-platform.ts";
import { clientIdentity, oauthMethodOf } from "./connect-methods.ts";

/** The document that describes this service to a platform; null if the platform uses none. */
export function clientMetadata(
  services: Pick<Services, "adapterFor" | "config">,
  platform: Platform,
): JsonObject | null {
  const configured = configuredPlatform(services, platform);
  const describe = configured && oauthMethodOf(configured.adapter)?.clientMetadata;
  return describe ? describe(configured.app, clientIdentity(services.config.origin, platform)) : null;
}
