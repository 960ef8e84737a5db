import type { Services } from "#context.ts";
import { hashSecret, secretKind } from "./secret-format.ts";
import { deleteSession } from "./store-sessions.ts";

/** Signs out this browser; keys and connected apps live on. */
export async function endSession(services: Pick<Services, "db">, token: string): Promise<void> {
  if (secretKind(token) === "session") {
    await deleteSession(services.db, await hashSecret(token));
  }
}
