/** The kinds of alerts that tell operators to act on the installation. */
export type OperatorAlertKind =
  | "overdue"
  | "late"
  | "platform_failing"
  | "operator_fault"
  | "refresh_failing"
  | "held"
  | "limit";

/**
 * `pending`: the condition is true, but not yet for long enough. `raised`: operators are notified. `cleared`: the condition was true and no
 * longer is.
 */
export type OperatorAlertState = "pending" | "raised" | "cleared";
