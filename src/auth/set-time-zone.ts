import type { Services } from "#context.ts";
import { parseTimeZone } from "./inputs.ts";
import { setTimeZoneRow } from "./store-users.ts";

/** The zone in which the pages show every instant. */
export async function setTimeZone(
  services: Pick<Services, "db">,
  input: { userId: string; timeZone: string },
): Promise<void> {
  await setTimeZoneRow(services.db, input.userId, parseTimeZone(input.timeZone));
}
