import type { Context as HonoContext } from "hono";
import type { Env } from "#config.ts";
import type { Context, Services } from "#context.ts";
import type { JsonValue } from "#core/json.ts";

/** What every handler finds: `ctx` only behind a guard. */
export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    ctx: Context;
    /** Of an operation that takes one; well-formed, not yet validated. */
    body?: JsonValue;
  };
}

export type ApiContext = HonoContext<ApiEnv>;
