import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import type { Services } from "#context.ts";
import type { AppRegistrations } from "#platforms/contract.ts";
import { seal, unseal } from "#core/aes-gcm.ts";
import { deleteRegistration, findRegistration, keepRegistration } from "./store-app-registrations.ts";

export function appRegistrations(
  services: Pick<Services, "db" | "config" | "ids" | "clock">,
  platform: Platform,
): AppRegistrations {
  const { db, config, ids, clock } = services;
  const purposeOf = (server: string) => `app_registration/${platform}/${server}`;
  /**
   * The registration that this isolate last read for each server. `forget` deletes only this one, because a parallel
   * login may have stored a newer one.
   */
  const lastRead = new Map<string, string>();
  const open = async (server: string, sealed: string): Promise<JsonObject> => {
    lastRead.set(server, sealed);
    return JSON.parse(await unseal(config, purposeOf(server), sealed)) as JsonObject;
  };
  return {
    async find(server) {
      const sealed = await findRegistration(db, { platform, server });
      return sealed === null ? null : await open(server, sealed);
    },
    async keep(server, registration) {
      const sealed = await seal(config, ids, purposeOf(server), JSON.stringify(registration));
      return await open(server, await keepRegistration(db, { platform, server }, sealed, clock.now()));
    },
    async forget(server) {
      await deleteRegistration(db, { platform, server }, lastRead.get(server) ?? null);
    },
  };
}
