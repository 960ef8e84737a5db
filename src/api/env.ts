import type { Context as HonoContext } from "hono";
import type { Env } from "#config.ts";
import type { Context, Services } from "#context.ts";

/** What every handler finds: `ctx` only behind a guard. */
export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    ctx: Context;
  };
}

export type ApiContext = HonoContext<ApiEnv>;
