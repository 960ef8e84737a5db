import type { OperatorApp } from "#sandbox/contract.ts";

/** The sandbox's operator lists the rights that first comments of pages need, so that they can be tried. */
export const operatorApp: OperatorApp = {
  settings: {},
  variables: { EXTRA_SCOPES: "w_organization_social_feed,r_organization_social_feed" },
};
