/** Every named place on the way of a post from its arming to its end; a test compares the list with the source. */
export const FAILPOINT_NAMES = [
  "arm.before",
  "arm.acknowledge",
  "sync.before_store",
  "sync.after_store",
  "alarm.awake",
  "claim.stored",
  "claim.before_send",
  "claim.after_send",
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
  "alarm.before_leave",
] as const;

/** And those on the way of a confirm. */
export const CONFIRM_POINTS = [
  "confirm.before",
  "confirm.after",
  "reconcile.before_arm",
  "reconcile.before_push",
] as const;
