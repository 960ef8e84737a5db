import { log } from "./log.ts";

/**
 * Reads the IP address of a caller for rate limits. It trusts only Cloudflare's own header, because callers can set any other header. The
 * runtime does not expose the address of the socket, so without that header all callers share one limit. The log reports this once.
 */
export function createAddressReader(): (headers: Headers) => string {
  let reported = false;
  return (headers) => {
    // mutant: claimed-address
    const address = headers.get("cf-connecting-ip");
    if (address !== null) {
      return address;
    }
    if (!reported) {
      reported = true;
      log("warn", "rate_limit.no_client_address", {
        missing: "cf-connecting-ip",
        effect: "all callers share one rate limit per purpose",
      });
    }
    return "unknown";
  };
}

/** One reader per isolate, so that each isolate logs the warning once. */
export const clientAddress = createAddressReader();
