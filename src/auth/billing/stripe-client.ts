import type Stripe from "stripe";
import type { Outbound } from "#context.ts";
import type { BillingSettings } from "./settings.ts";

/** The official Stripe client, loaded lazily because many installations have no payment. Its requests go through `services.outbound`. */
export async function openStripe(
  services: { readonly outbound: Pick<Outbound, "publicFetch"> },
  billing: BillingSettings,
): Promise<Stripe> {
  const { default: StripeClient } = await import("stripe");
  return new StripeClient(billing.secretKey, {
    httpClient: StripeClient.createFetchHttpClient((input: Request | string | URL, init?: RequestInit) =>
      services.outbound.publicFetch(new Request(input, init)),
    ),
    maxNetworkRetries: 1,
    timeout: 10_000,
    telemetry: false,
  });
}
