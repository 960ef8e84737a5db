import { log } from "#core/log.ts";
import { networkOf } from "./ip-ranges.ts";

/** Whose requests a limit counts together. */
export interface ClientAddress {
  /** An IPv4 address, or the first 64 bits of an IPv6 address: one subscriber has at least all addresses with these bits. */
  readonly address: string;
  /** An IPv4 address, or the first 48 bits of an IPv6 address, because one client can own all /64 networks of a /48. */
  readonly network: string;
}

/**
 * Reads the IP address of a caller for rate limits. It trusts only Cloudflare's own header, because callers can set any other header. The
 * runtime does not expose the address of the socket, so without that header all callers share one limit. The log reports this once.
 */
export function createAddressReader(): (headers: Headers) => ClientAddress {
  let reported = false;
  return (headers) => {
    // mutant: claimed-address
    const address = headers.get("cf-connecting-ip");
    if (address !== null) {
      // mutant: address-of-128-bits
      return { address: networkOf(address, 64), network: networkOf(address, 48) };
    }
    if (!reported) {
      reported = true;
      log("warn", "rate_limit.no_client_address", {
        missing: "cf-connecting-ip",
        effect: "all callers share one rate limit per purpose",
      });
    }
    return { address: "unknown", network: "unknown" };
  };
}

/** One reader per isolate, so that each isolate logs the warning once. */
export const clientAddress = createAddressReader();
