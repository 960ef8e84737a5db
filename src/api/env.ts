import type { Context as HonoContext } from "hono";
import type { Env } from "#config.ts";
import type { Context, Services } from "#context.ts";
import type { JsonValue } from "#core/json.ts";

export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Answers a request from the start, like a new one. */
    dispatch: (request: Request, env: Env, ctx: ApiContext["executionCtx"]) => Response | Promise<Response>;
    /** Set by the guard; absent in handlers without one. */
    ctx: Context;
    /** The parsed body of an operation that takes one: well-formed, but not yet validated against its schema. */
    body?: JsonValue;
    /** The text of a table, if the caller sent one instead of JSON. */
    csv?: string;
    /** The bytes of the body after it is read; null when it is too large. */
    bodyBytes?: Uint8Array | null;
  };
}

export type ApiContext = HonoContext<ApiEnv>;
