export { countHourlyUse } from "./count-hourly-use.ts";
export { countUseStatement, draftBytesSql } from "./store.ts";
export { HOURLY_LIMITS, listLimits, type UserLimits } from "./list-limits.ts";
