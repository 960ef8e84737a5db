import { z } from "@hono/zod-openapi";
import { atMost, commonOptions } from "#platforms/options.ts";
import { TITLE_MAX } from "./limits.ts";

export const options = z.looseObject({
  title: z
    .string()
    .check(atMost(TITLE_MAX, "characters", (value) => value.length))
    .refine((value) => value.trim() !== "", "must not be blank")
    .refine((value) => !/[<>]/.test(value), "must not contain < or >")
    .describe(`Title of the Short or long-form video: up to ${TITLE_MAX} characters, neither < nor >`),
  made_for_kids: z.boolean().default(false).describe("Whether the video is made for kids in the legal sense"),
  ...commonOptions,
});
