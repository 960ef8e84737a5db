import type { Context as HonoContext } from "hono";
import type { SignedInUser } from "#auth/index.ts";
import type { Env } from "#config.ts";
import type { Services, Outbound } from "#context.ts";
import type { SecurityPolicy } from "#html/security-policy.ts";

/** The variables of every page's request. `signedIn` is set only behind `requireSession`. */
export interface PageEnv {
  Bindings: Env;
  Variables: {
    services: Services;
    signedIn: SignedInUser;
    /** Security headers of this page that differ from the usual ones. */
    securityPolicy?: SecurityPolicy;
  };
}

export type PageContext = HonoContext<PageEnv>;

export type OutboundFactory = (env: Env) => Outbound;
