import type { OperatorApp } from "#sandbox/contract.ts";

/** The sandbox's operator lists the right that first comments need, so that they can be tried. */
export const operatorApp: OperatorApp = {
  settings: {},
  variables: { EXTRA_SCOPES: "https://www.googleapis.com/auth/youtube.force-ssl" },
};
