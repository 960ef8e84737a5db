import type { Context as HonoContext } from "hono";
import type { Env } from "#config.ts";
import type { Context, Services } from "#context.ts";
import type { JsonValue } from "#core/json.ts";

/** The Hono environment of every handler. */
export interface ApiEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    services: Services;
    /** Answers a request as this one is answered, from the start. */
    dispatch: (request: Request, env: Env, ctx: ApiContext["executionCtx"]) => Response | Promise<Response>;
    /** Set by the guard; absent in handlers without one. */
    ctx: Context;
    /** The parsed body of an operation that takes one; well-formed, not yet validated against its schema. */
    body?: JsonValue;
    /** The text of a table that was sent instead of such a body. */
    csv?: string;
    /** The bytes of the body once they were read; null when they were too many. */
    bodyBytes?: Uint8Array | null;
  };
}

export type ApiContext = HonoContext<ApiEnv>;
