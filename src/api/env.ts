import type { Context as HonoContext } from "hono";
import type { Env } from "#config.ts";
import type { Context, Services } from "#context.ts";
import type { JsonValue } from "#core/json.ts";

export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Handles a request like one that just arrived, for a second attempt of the same call. */
    dispatch: (request: Request, env: Env, ctx: ApiContext["executionCtx"]) => Response | Promise<Response>;
    /** Who calls, and the services. The guard sets it; it is absent in handlers without a guard. */
    ctx: Context;
    /** The parsed JSON body, for operations that take one. Its schema is not validated yet. */
    body?: JsonValue;
    /** The text of a CSV body; absent if the caller sent JSON. */
    csv?: string;
    /** The bytes of the body, once it is read. Null if the body was too large. */
    bodyBytes?: Uint8Array | null;
  };
}

export type ApiContext = HonoContext<ApiEnv>;
