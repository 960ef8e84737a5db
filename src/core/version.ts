/** The release from package.json, which the deployment defines. Undefined in development and in tests. */
declare const ALMANAC_VERSION: string | undefined;

/** The release of this service, which `GET /health` and the header `Almanac-Version` show. */
export const VERSION = typeof ALMANAC_VERSION === "undefined" ? "development" : ALMANAC_VERSION;

/** The response header that contains the release. */
export const VERSION_HEADER = "Almanac-Version";
