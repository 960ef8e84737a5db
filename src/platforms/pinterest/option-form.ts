import type { OptionForm } from "#platforms/contract.ts";
import { FIT_FIELD } from "#platforms/form-contract.ts";

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
