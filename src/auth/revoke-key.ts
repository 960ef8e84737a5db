import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { revokeKeyRow } from "./store-keys.ts";

/** Ends a key at once; its row stays for the record. */
export async function revokeKey(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; id: string },
): Promise<void> {
  if (!(await revokeKeyRow(services.db, input.userId, input.id, services.clock.now()))) {
    refuse({ code: "not_found", message: "key not found" });
  }
}
