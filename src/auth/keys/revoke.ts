import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { markKeyRevoked } from "./store.ts";

/** Ends a key at once. Its row stays as a record. */
export async function revokeKey(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; id: string },
): Promise<void> {
  if (!(await markKeyRevoked(services.db, input.userId, input.id, services.clock.now()))) {
    refuse({ code: "not_found", message: "key not found" });
  }
}
