import type { OperatorApp } from "#sandbox/contract.ts";
import { BASIC_SCOPE, COMMENT_SCOPE, PUBLISH_SCOPE } from "./login.ts";

/** The sandbox's app. It is also approved for comments, so that a developer can try first comments. */
export const operatorApp: OperatorApp = {
  settings: { approved_scopes: [BASIC_SCOPE, PUBLISH_SCOPE, COMMENT_SCOPE].join(",") },
  variables: { EXTRA_SCOPES: COMMENT_SCOPE },
};
