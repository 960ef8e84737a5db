import { env } from "cloudflare:workers";

/** Where the service under test says it is. */
export const { ORIGIN } = env;
