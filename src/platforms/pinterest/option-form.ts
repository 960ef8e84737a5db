import type { OptionForm } from "#platforms/contract.ts";

export const optionForm = {
  fields: {
    board_ids: { label: "Boards", hint: "One pin is made on each board.", input: "boards" },
    title: { label: "Title of the pin" },
    link: { label: "Link", hint: "The page that opens when somebody clicks the pin." },
  },
} as const satisfies OptionForm;
