export { deleteOldEvents } from "./delete-old-events.ts";
export { eventId, seqBefore } from "./event-id.ts";
export { getEvent } from "./get-event.ts";
export { type EventList, listEvents } from "./list-events.ts";
export { readEvent } from "./read-event.ts";
export { getEventLog, setEventLog } from "./set-event-log.ts";
export { endRecordingStatement, type EventLog, recordForWebhooksStatement } from "./store-event-log.ts";
export { selectEvents } from "./store-events.ts";
export * from "./types.ts";
