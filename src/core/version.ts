/** The deployment sets it from package.json. It is undefined in development and in tests. */
declare const ALMANAC_VERSION: string | undefined;

/** The release of this service. `GET /health` and the header `Almanac-Version` show it. */
export const VERSION = typeof ALMANAC_VERSION === "undefined" ? "development" : ALMANAC_VERSION;

/** The response header that names the release. */
export const VERSION_HEADER = "Almanac-Version";
