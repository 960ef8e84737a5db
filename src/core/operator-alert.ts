/** What operators are told of because the installation needs them. */
export type OperatorAlertKind =
  | "overdue"
  | "late"
  | "platform_failing"
  | "operator_fault"
  | "refresh_failing"
  | "held"
  | "limit";

/** `pending`: the condition holds, but not for long enough. `cleared`: it held, and no longer does. */
export type OperatorAlertState = "pending" | "raised" | "cleared";
