import { log } from "#core/log.ts";
import { networkOf } from "./ip-ranges.ts";

/** The addresses under which rate limits count the requests of a client. */
export interface ClientAddress {
  /**
   * An IPv4 address, or the first 64 bits of an IPv6 address. A subscriber owns at least all addresses with these bits.
   */
  readonly address: string;
  /** An IPv4 address, or the first 48 bits of an IPv6 address. One client can own all /64 networks of a /48. */
  readonly network: string;
}

/**
 * Reads a caller's IP address for rate limits. Only Cloudflare's own header is trusted, because callers can set any
 * other. The runtime does not tell the socket's address, so without that header all callers share one limit. The log
 * reports this once.
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

/** The isolate's only reader of client addresses, so that it logs a missing header once. */
export const clientAddress = createAddressReader();
