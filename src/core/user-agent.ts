/**
 * The product's name and version in outgoing requests, by which platforms and server operators recognize this service.
 */
const PRODUCT = "Almanac/1.0";

/** The `User-Agent` of calls to platforms: product, version, and the URL of the installation. */
export function userAgent(origin: string): string {
  return `${PRODUCT} (+${origin})`;
}
