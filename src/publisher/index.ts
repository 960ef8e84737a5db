export { definePublisher } from "./durable-object.ts";
export { DatabaseWatch } from "./database-watch.ts";
export { reconcile } from "./reconcile-overdue.ts";
export { checkDatabase } from "#restore/check-database.ts";
export { runReconciler } from "./run-reconciler.ts";
