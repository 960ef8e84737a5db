export { deleteOldEvents } from "./delete-old-events.ts";
export { seqBefore } from "./event-id.ts";
export { getEvent } from "./get-event.ts";
export { listEvents } from "./list-events.ts";
export { getEventLog, setEventLog } from "./set-event-log.ts";
export { trimTrialLogStatement } from "./store-event-sweep.ts";
export { endRecordingStatement, recordForWebhooksStatement } from "./store-event-log.ts";
export * from "./types.ts";
