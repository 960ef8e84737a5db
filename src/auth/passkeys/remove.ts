import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { deletePasskey } from "./store.ts";

/** Deletes a passkey, so that nobody can sign in with it. */
export async function removePasskey(
  services: Pick<Services, "db">,
  input: { userId: string; id: string },
): Promise<void> {
  if (!(await deletePasskey(services.db, input.userId, input.id))) {
    refuse({ code: "not_found", message: "passkey not found" });
  }
}
