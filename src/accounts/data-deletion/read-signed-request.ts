import type { Services } from "#context.ts";
import type { Platform } from "#core/platform.ts";
import { configuredPlatform } from "#accounts/configured-platform.ts";
import type { PersonOfPlatform } from "./store-data-deletions.ts";

/** Reads which person a platform's request concerns; null if the platform sends no such requests here, or has not signed this one. */
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
