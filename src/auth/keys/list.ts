import type { Services } from "#context.ts";
import { type ApiKey, selectKeys } from "./store.ts";

/** All API keys of the user, newest first, with revoked and expired ones. A key is shown by its hint only. */
export function listKeys(services: Pick<Services, "db">, input: { userId: string }): Promise<ApiKey[]> {
  return selectKeys(services.db, input.userId);
}
