import type Stripe from "stripe";
import type { Outbound } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import { fetchAnswer } from "#core/fetch-answer.ts";
import type { BillingSettings } from "./settings.ts";

const TIMEOUT_MS = 10 * SECOND;
const MAX_ANSWER_BYTES = 1024 ** 2;

/**
 * Loads the official Stripe client, only when needed, because many installations have no payment. Its requests go
 * through `services.outbound`.
 */
export async function openStripe(
  services: { readonly outbound: Pick<Outbound, "publicFetch"> },
  billing: BillingSettings,
): Promise<Stripe> {
  const { default: StripeClient } = await import("stripe");
  return new StripeClient(billing.secretKey, {
    httpClient: StripeClient.createFetchHttpClient(async (input: Request | string | URL, init?: RequestInit) => {
      const { status, headers, bytes, body, error } = await fetchAnswer(
        (sent) => services.outbound.publicFetch(sent),
        input,
        init ?? {},
        { maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS },
      );
      if (body !== "whole") {
        throw new Error("Stripe's answer broke off", { cause: error });
      }
      return new Response(bytes, { status, headers });
    }),
    maxNetworkRetries: 1,
    timeout: TIMEOUT_MS,
    telemetry: false,
  });
}
