export { definePublisher } from "./publisher.ts";
export { type Reconciled, reconcile } from "./reconcile.ts";
