/** A time of the week that a workspace reserves for posts. */
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
  readonly next: readonly number[];
}
