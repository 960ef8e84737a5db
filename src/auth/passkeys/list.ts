import type { Services } from "#context.ts";
import { type Passkey, selectPasskeys } from "./store.ts";

export async function listPasskeys(services: Pick<Services, "db">, input: { userId: string }): Promise<Passkey[]> {
  const rows = await selectPasskeys(services.db, input.userId);
  return rows.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }));
}
