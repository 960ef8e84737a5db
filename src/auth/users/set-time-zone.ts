import type { Services } from "#context.ts";
import { parseTimeZone } from "#auth/parse-inputs.ts";
import { updateTimeZone } from "./store.ts";

/** Sets the time zone in which the dashboard shows all times. */
export async function setTimeZone(
  services: Pick<Services, "db">,
  input: { userId: string; timeZone: string },
): Promise<void> {
  await updateTimeZone(services.db, input.userId, parseTimeZone(input.timeZone));
}
