import type { Services } from "#context.ts";
import { type ApiKey, selectKeys } from "./store-keys.ts";

/** Every key the user ever made, newest first, by hint only. */
export function listKeys(services: Pick<Services, "db">, input: { userId: string }): Promise<ApiKey[]> {
  return selectKeys(services.db, input.userId);
}
