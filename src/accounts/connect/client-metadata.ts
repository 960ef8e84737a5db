import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { Services } from "#context.ts";
import { configuredPlatform } from "#accounts/configured-platform.ts";
import { clientIdentity, oauthMethodOf } from "./connect-methods.ts";

/**
 * The OAuth client metadata document that describes this service to a platform. Null if the platform reads no such
 * document.
 */
export function clientMetadata(
  services: Pick<Services, "adapterFor" | "config">,
  platform: Platform,
): JsonObject | null {
  const configured = configuredPlatform(services, platform);
  const describe = configured && oauthMethodOf(configured.adapter)?.clientMetadata;
  return describe ? describe(configured.app, clientIdentity(services.config.origin, platform)) : null;
}
