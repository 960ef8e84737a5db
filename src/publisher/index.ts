export { definePublisher } from "./durable-object.ts";
export { DatabaseWatch } from "./database-watch.ts";
export { runReconciler } from "./run-reconciler.ts";
