export { definePublisher } from "./durable-object.ts";
export { reconcile } from "./reconcile-overdue.ts";
