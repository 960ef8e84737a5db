/** The deployment defines it from package.json; what runs in development and in tests has none. */
declare const ALMANAC_VERSION: string | undefined;

/** Which release this is: what `GET /health` and the header `Almanac-Version` say. */
export const VERSION = typeof ALMANAC_VERSION === "undefined" ? "development" : ALMANAC_VERSION;

/** The response header that names the release. */
export const VERSION_HEADER = "Almanac-Version";
