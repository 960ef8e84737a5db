/** The product's name and version in outgoing requests; platforms and server operators recognize a client by it. */
const PRODUCT = "Almanac/1.0";

/** The `User-Agent` of calls to platforms: product, version, and the address of the installation. */
export function userAgent(origin: string): string {
  return `${PRODUCT} (+${origin})`;
}
