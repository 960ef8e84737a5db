/** The kinds of alerts that ask operators to act on the installation. */
export type OperatorAlertKind =
  | "overdue"
  | "late"
  | "platform_failing"
  | "operator_fault"
  | "refresh_failing"
  | "held"
  | "limit";

/**
 * `pending`: the condition is true, but not long enough. `raised`: operators are notified. `cleared`: the condition has
 * ended.
 */
export type OperatorAlertState = "pending" | "raised" | "cleared";
