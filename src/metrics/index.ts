export { checkHealth, type Health } from "./check-health.ts";
export { countServiceHours, countSyncs, type SyncOutcome } from "./count-service-hours.ts";
export { watchService } from "./alerts/watch-service.ts";
export { OPERATOR_ALERT_TITLES } from "./alerts/compose-operator-mail.ts";
export {
  getOperations,
  type Operations,
  type Period,
  type Spend,
  type TimeSlice,
} from "./operations/get-operations.ts";
export type { LimitUse } from "./limit-uses.ts";
export type { PlatformOutcomes } from "./outcomes.ts";
export { MAX_COUNTED } from "./store-present.ts";
