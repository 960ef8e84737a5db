import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseConfirms } from "#auth/parse-inputs.ts";
import { updateKeyConfirms } from "./store.ts";

/** Sets who confirms what is previewed with a key. It applies from the next call with the key. */
export async function setKeyConfirms(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; id: string; confirms: string },
): Promise<void> {
  const confirms = parseConfirms(input.confirms);
  if (!(await updateKeyConfirms(services.db, { ...input, confirms, now: services.clock.now() }))) {
    refuse({ code: "not_found", message: "key not found" });
  }
}
