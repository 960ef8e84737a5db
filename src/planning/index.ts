export { ownMediaItems } from "./checks/media-lists.ts";
export { type ComposerData, loadComposer, readCreators } from "./checks/load-composer.ts";
export { checkSchedule, type ScheduleCheck } from "./checks/check-schedule.ts";
export { type BulkInput, type BulkRow, type PreviewedBulk } from "./bulk/types.ts";
export { findNextSlots } from "./slots/find-next-slots.ts";
export { getSlots } from "./slots/get-slots.ts";
export { setSlots } from "./slots/set-slots.ts";
export { type NextSlots, type ScheduleSlots } from "./slots/types.ts";
export type * from "./plan/types.ts";
