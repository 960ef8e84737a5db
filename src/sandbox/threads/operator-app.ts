import type { OperatorApp } from "#sandbox/contract.ts";

/** The sandbox's app may write replies, so that the demo and the tests can publish threads. The settings can remove this permission. */
export const operatorApp: OperatorApp = {
  settings: {
    approved_scopes: "threads_basic,threads_content_publish,threads_delete,threads_manage_replies,threads_read_replies",
  },
  variables: { EXTRA_SCOPES: "threads_manage_replies,threads_read_replies" },
};
