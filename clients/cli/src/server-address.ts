import { CommandError } from "./exit-codes.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export function isLoopbackUrl(url: URL): boolean {
  return LOOPBACK.has(url.hostname);
}

/** The address of the API from what a person writes: an origin, or the address that ends in `/v1`. */
export function toBaseUrl(text: string): string {
  const address = /^https?:\/\//.test(text) ? text : `https://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (!url?.hostname || url.username !== "" || url.password !== "") {
    throw new CommandError(
      "usage",
      "unclear_server",
      "the address of the service is not clear: write it as https://almanac.example.org",
    );
  }
  if (url.protocol === "http:" && !isLoopbackUrl(url)) {
    throw new CommandError(
      "usage",
      "insecure_server",
      "the service must have an https address: over http everybody on the way could read your credential",
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith("/v1") ? path : `${path}/v1`}`;
}
