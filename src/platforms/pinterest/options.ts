import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { atMost, commonOptions } from "#platforms/options.ts";
import { BOARDS_MAX, LINK_MAX, TITLE_MAX } from "./limits.ts";

const BOARD_ID = /^\d{1,30}$/;

export const options = z.looseObject({
  board_ids: z
    .array(z.string().regex(BOARD_ID, "must be an id of the boards endpoint"))
    .min(1, "must name at least one board")
    .check(atMost(BOARDS_MAX, "boards", (ids) => new Set(ids).size))
    .describe("Boards to pin to, from GET /accounts/pinterest-boards: one pin each, in this order"),
  title: z
    .string()
    .check(atMost(TITLE_MAX, "characters", (value) => [...value].length))
    .optional()
    .describe(`Title of the pin, up to ${TITLE_MAX} characters`),
  link: z
    .string()
    .check(atMost(LINK_MAX, "characters", (value) => value.length))
    .refine(isHttpUrl, "must be an absolute http or https URL")
    .optional()
    .describe("The URL that the pin links to"),
  ...commonOptions,
});

function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(value);
}

/** The boards of a job's options, each once. */
export function boardIds({ board_ids: ids }: JsonObject): readonly string[] {
  return [...new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [])];
}
