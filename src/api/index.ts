import { OpenAPIHono } from "@hono/zod-openapi";
import { refuse } from "#core/errors.ts";
import type { Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";
import { CORS_HEADERS, PREFLIGHT_HEADERS } from "./cors.ts";
import type { ApiEnv } from "./env.ts";
import { onError, TransportError } from "./errors.ts";
import { allowHeader, createMethodLookup } from "./allowed-methods.ts";
import { FREQUENT, groupNameOf, ON_FIRST_CALL, type OperationGroup } from "./operations.ts";
import { VERSION, VERSION_HEADER } from "#core/version.ts";
import { pathOf } from "#wire/path-of.ts";
import { getRequestId } from "#wire/request-id.ts";

/** The path prefix of the API. The setting `BASE_URL` ends with it. */
export const API_PREFIX = "/v1";

const DOCUMENT_PATH = "/openapi.json";

/** Serves the OpenAPI document. The first request builds it, and the isolate keeps it. */
function createDocumentRoute(): OpenAPIHono<ApiEnv> {
  let document: string | undefined;
  const route = new OpenAPIHono<ApiEnv>();
  route.get(DOCUMENT_PATH, async (c) => {
    if (document === undefined) {
      // Loaded lazily, because only readers of the document need its long texts.
      const { buildDocument } = await import("./document/build.ts");
      document = buildDocument(c.get("services").config);
    }
    c.header("Cache-Control", "public, max-age=300");
    c.header("Content-Type", "application/json");
    return c.body(document);
  });
  return route;
}

/** Creates an app that serves these operations. Their paths are relative to the prefix of the API. */
function createApp(createOutbound: (env: Env) => Outbound, operations: OperationGroup): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({
    // A trailing slash makes no difference: `/posts/` is `/posts` for routes, allowed methods and the hash of an
    // idempotency key.
    getPath(request) {
      const path = pathOf(request);
      const end = path.endsWith("/") ? -1 : undefined;
      return path.slice(API_PREFIX.length, end) || "/";
    },
  });
  app.onError(onError);

  app.use(async (c, next) => {
    const services = createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    c.set("services", services);
    c.set("dispatch", app.fetch);
    const requestId = getRequestId(c.req.raw, services.ids);
    c.set("requestId", requestId);
    c.header("X-Request-Id", requestId);
    c.header(VERSION_HEADER, VERSION);
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    for (const [name, value] of CORS_HEADERS) {
      c.header(name, value);
    }
    const { method } = c.req;
    if (method === "OPTIONS") {
      for (const [name, value] of PREFLIGHT_HEADERS) {
        c.header(name, value);
      }
      return c.body(null, 204);
    }
    const methods = findMethods(c.req.path);
    if (methods && !methods.has(method === "HEAD" ? "GET" : method)) {
      const allow = allowHeader(methods);
      c.header("Allow", allow);
      throw new TransportError("method_not_allowed", `${method} is not allowed here: use ${allow}`);
    }
    return next();
  });

  for (const operation of operations) {
    app.route("/", operation);
  }
  app.notFound(() => refuse({ code: "not_found", message: "there is nothing at this URL" }));

  const findMethods = createMethodLookup(app.routes);
  return app;
}

export interface Api {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>;
}

/** The API under `/v1`. The frequent operations load at the start of an isolate, each other group on its first call. */
export function createApi(createOutbound: (env: Env) => Outbound): Api {
  const frequent = createApp(createOutbound, [createDocumentRoute(), ...FREQUENT]);
  const apps = new Map<string, OpenAPIHono<ApiEnv>>();
  return {
    fetch(request, env, ctx) {
      const name = groupNameOf(pathOf(request).slice(API_PREFIX.length + 1));
      const load = ON_FIRST_CALL.get(name);
      const app = load === undefined ? frequent : apps.get(name);
      if (load === undefined || app !== undefined) {
        return (app ?? frequent).fetch(request, env, ctx);
      }
      return load().then((group) => {
        const created = apps.get(name) ?? createApp(createOutbound, group);
        apps.set(name, created);
        return created.fetch(request, env, ctx);
      });
    },
  };
}
