import type { OperatorApp } from "#sandbox/contract.ts";

/** The sandbox's operator lists the scope for first comments, so that a developer can try them. */
export const operatorApp: OperatorApp = {
  settings: {},
  variables: { EXTRA_SCOPES: "https://www.googleapis.com/auth/youtube.force-ssl" },
};
