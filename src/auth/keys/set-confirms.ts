import { refuse } from "#core/errors.ts";
import type { Services } from "#context.ts";
import { parseConfirms } from "#auth/parse-inputs.ts";
import { updateKeyConfirms } from "./store.ts";

/** Changes who confirms the previews of a key. The next call with the key uses the new setting. */
export async function setKeyConfirms(
  services: Pick<Services, "db" | "clock">,
  input: { userId: string; id: string; confirms: string },
): Promise<void> {
  const confirms = parseConfirms(input.confirms);
  if (!(await updateKeyConfirms(services.db, { ...input, confirms, now: services.clock.now() }))) {
    refuse({ code: "not_found", message: "key not found" });
  }
}
