import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

/** LinkedIn has no options of its own. */
export const options = z.looseObject(commonOptions);
