import type { Services } from "#context.ts";
import { type ApiKey, selectKeys } from "./store.ts";

/** All keys of the user, newest first, also revoked and expired ones. Each has only its hint, not the key. */
export function listKeys(services: Pick<Services, "db">, input: { userId: string }): Promise<ApiKey[]> {
  return selectKeys(services.db, input.userId);
}
