import type { OperatorApp } from "#sandbox/contract.ts";

/**
 * The sandbox's app, with the additional permissions for first comments and covers, so that a developer can try them.
 */
export const operatorApp: OperatorApp = {
  settings: { extra_permissions: "pages_manage_engagement,pages_read_user_content,instagram_manage_comments" },
  variables: { EXTRA_SCOPES: "pages_manage_engagement,pages_read_user_content" },
};
