import { env } from "cloudflare:workers";

/** The configured origin of the service under test. */
export const { ORIGIN } = env;
