/** Every failpoint that a post passes from arming to its end; a test in publisher.test.ts compares the list with the code. */
export const FAILPOINT_NAMES = [
  "arm.before",
  "sync.before_store",
  "sync.after_store",
  "alarm.awake",
  "claim.before_send",
  "claim.after_send",
  "claim.waiting",
  "claim.begun",
  "prepare.before_send",
  "prepare.after_send",
  "commit.before_intent",
  "commit.before_send",
  "commit.after_send",
  "verify.before_send",
  "verify.after_send",
  "record.before_send",
  "record.after_send",
  "alarm.before_cleanup",
] as const;

/** The failpoints of a confirm, of one whose objects cannot be armed, and of the reconciler. */
export const CONFIRM_FAILPOINT_NAMES = [
  "confirm.before",
  "confirm.after",
  "arm.record_unarmed",
  "reconcile.before_arm",
  "reconcile.before_acknowledge",
] as const;
