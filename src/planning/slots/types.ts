/** A time of the week at which a workspace prefers to post. */
export interface ScheduleSlot {
  /** The day of the week; 0 is Monday. */
  readonly weekday: number;
  /** The time of day as `HH:MM`, in the time zone of the slots. */
  readonly time: string;
}

export interface ScheduleSlots {
  readonly timeZone: string;
  /** The slots in the order of the week. */
  readonly slots: readonly ScheduleSlot[];
}

export interface NextSlots extends ScheduleSlots {
  readonly next: readonly number[];
}
