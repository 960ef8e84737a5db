export { ownMediaItems } from "./candidates/media-lists.ts";
export { type ComposerData, loadComposer, readCreators } from "./composer/load-composer.ts";
export { checkSchedule } from "./pipeline/check-schedule.ts";
export { type BulkInput, type BulkRow, type PreviewedBulk } from "./plan/bulk-types.ts";
export { findNextSlots } from "./slots/find-next-slots.ts";
export { getSlots } from "./slots/get-slots.ts";
export { setSlots } from "./slots/set-slots.ts";
export { type NextSlots, type ScheduleSlots } from "./slots/types.ts";
export type * from "./plan/types.ts";
