export { definePublisher } from "./publisher.ts";
export { reconcile } from "./reconcile.ts";
