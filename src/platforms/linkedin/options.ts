import { z } from "@hono/zod-openapi";
import { commonOptions } from "#platforms/options.ts";

/** LinkedIn posts are a caption and media, nothing else. */
export const options = z.looseObject(commonOptions);
