import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

/** Caption only. */
export const options = z.looseObject({ ...commonOptions });
