import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "#auth/secrets.ts";
import { deleteSession } from "./store.ts";

/** Signs out this browser only. API keys and connected apps still work. */
export async function endSession(services: Pick<Services, "db">, token: string): Promise<void> {
  if (secretKind(token) === "session") {
    await deleteSession(services.db, await hashSecret(token));
  }
}
