export { countHourlyUse, type HourlyUse } from "./count-hourly-use.ts";
export { countUseStatement, draftBytesSql, scheduledPostsOf } from "./store.ts";
export { HOURLY_LIMITS, listLimits, type UserLimits } from "./list-limits.ts";
