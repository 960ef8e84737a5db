/** A time of the week at which a workspace likes to post. */
export interface ScheduleSlot {
  /** 0 is Monday. */
  readonly weekday: number;
  /** `HH:MM` on the clock of the slots' zone. */
  readonly time: string;
}

export interface ScheduleSlots {
  readonly timeZone: string;
  /** In the order of the week. */
  readonly slots: readonly ScheduleSlot[];
}

export interface NextSlots extends ScheduleSlots {
  /** The next instants of slots that no post takes. */
  readonly next: readonly number[];
}
