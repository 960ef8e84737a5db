import type { OperatorApp } from "#sandbox/contract.ts";

/** The sandbox's app. It also has the scopes for first comments of pages, so that a developer can try them. */
export const operatorApp: OperatorApp = {
  settings: {},
  variables: { EXTRA_SCOPES: "w_organization_social_feed,r_organization_social_feed" },
};
