import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { type OptionForm, FIT_FIELD } from "#platforms/contract.ts";
import { atMost, commonOptions, fitOption, isHttpUrl } from "#platforms/options.ts";
import { BOARDS_MAX, LINK_MAX, TITLE_MAX } from "./limits.ts";

const BOARD_ID = /^\d{1,30}$/;

/**
 * The options of a pin. github.com/pinterest/api-description, OpenAPI 5.23.0, PinCreate: `board_id`,
 * `board_section_id`, `title`, `link`, `dominant_color`.
 */
export const options = z.looseObject({
  board_ids: z
    .array(z.string().regex(BOARD_ID, "must be an id of the boards endpoint"))
    .min(1)
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
  board_section_id: z
    .string()
    .regex(BOARD_ID, "must be the id of a section of the board")
    .optional()
    .describe("The section of the board; only with one board"),
  dominant_color: z
    .string()
    .regex(/^#[0-9A-Fa-f]{6}$/, "must be a color such as #6E7874")
    .optional()
    .describe("The color that is shown while the pin loads"),
  ...fitOption,
  ...commonOptions,
});

/** The board ids of a job's options, without repetition. */
export function boardIds({ board_ids: ids }: JsonObject): readonly string[] {
  return [...new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [])];
}

export const optionForm = {
  fields: {
    board_ids: { label: "Boards", hint: "One pin is made on each board.", input: "boards" },
    title: { label: "Title of the pin" },
    board_section_id: { label: "Section of the board", hint: "Its number; only with one board." },
    dominant_color: { label: "Color while the pin loads", hint: "For example #6E7874." },
    link: { label: "Link", hint: "The page that opens when somebody clicks the pin." },
    fit: FIT_FIELD,
  },
} as const satisfies OptionForm;
