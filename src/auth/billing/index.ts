export { applyStripeEvent } from "./apply-event.ts";
export { endPayment, setRenewal } from "./end-payment.ts";
export { openPortal } from "./open-portal.ts";
export { readBillingSettings } from "./settings.ts";
export { startCheckout } from "./start-checkout.ts";
