/** What operators are told of because the installation needs them. */
export const OPERATOR_ALERT_KINDS = [
  "overdue",
  "late",
  "platform_failing",
  "operator_fault",
  "refresh_failing",
  "held",
  "limit",
] as const;
export type OperatorAlertKind = (typeof OPERATOR_ALERT_KINDS)[number];

/** `pending`: the condition holds, but not for long enough. `cleared`: it held, and no longer does. */
export type OperatorAlertState = "pending" | "raised" | "cleared";
