export { countServiceHours, countSyncs } from "./count-service-hours.ts";
export { deleteOldHours } from "./delete-old-hours.ts";
