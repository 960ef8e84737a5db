import type { OperatorApp } from "#sandbox/contract.ts";

/** The sandbox's app has the permissions that first comments and covers need beyond those of every login, so that they can be tried. */
export const operatorApp: OperatorApp = {
  settings: { extra_permissions: "pages_manage_engagement,pages_read_user_content,instagram_manage_comments" },
  variables: { EXTRA_SCOPES: "pages_manage_engagement,pages_read_user_content" },
};
