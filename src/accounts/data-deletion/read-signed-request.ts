import type { Services } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import { configuredPlatform } from "#accounts/configured-platform.ts";
import type { PersonOfPlatform } from "./store-data-deletions.ts";

/**
 * Reads which person a platform's data deletion request concerns. Null if the platform did not sign the request, or
 * sends none to this service.
 */
export async function readPerson(
  services: Pick<Services, "adapterFor" | "config">,
  platform: Platform,
  signedRequest: string,
): Promise<PersonOfPlatform | null> {
  const configured = configuredPlatform(services, platform);
  const read = configured?.adapter.connect.readSignedRequest;
  const person = configured && read ? await read(configured.app, signedRequest) : null;
  return person && { platform, ...person };
}
