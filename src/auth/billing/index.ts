export { type Applied, applyStripeEvent } from "./apply-event.ts";
export { openPortal } from "./open-portal.ts";
export { type Billing, billingOf } from "./settings.ts";
export { startCheckout } from "./start-checkout.ts";
