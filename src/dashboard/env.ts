import type { Context as HonoContext } from "hono";
import type { SignedIn } from "#auth/index.ts";
import type { Env } from "#config.ts";
import type { Services, Outbound } from "#context.ts";

/** What every page finds: `signedIn` only behind the door of the dashboard. */
export interface PageEnv {
  Bindings: Env;
  Variables: {
    services: Services;
    signedIn: SignedIn;
  };
}

export type PageContext = HonoContext<PageEnv>;

export type WorldOf = (env: Env) => Outbound;
