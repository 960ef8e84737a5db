import { log } from "./log.ts";

/**
 * Reads the IP address of a caller for rate limits. Only Cloudflare's own header counts, because a caller can send any other. The
 * runtime does not tell the address of the socket, so without the header all callers share one limit; the log says so once.
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

/** One reader per isolate, so that each isolate warns at its first such request. */
export const clientAddress = createAddressReader();
