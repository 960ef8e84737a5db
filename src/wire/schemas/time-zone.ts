import { z } from "@hono/zod-openapi";
import { isTimeZone } from "#core/time-zone.ts";

/** The name of a time zone. Offsets and abbreviations are refused. */
export const TimeZoneInput = z
  .string()
  .max(64)
  .refine(isTimeZone, {
    message: "must be an IANA time zone such as Europe/Berlin or America/New_York",
    params: { code: "invalid_value" },
  });
