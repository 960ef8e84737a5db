export { checkHealth } from "./check-health.ts";
export { countServiceHours, countSyncs, type SyncOutcome } from "./count-service-hours.ts";
export { watchService } from "./alerts/watch-service.ts";
