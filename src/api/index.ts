import { OpenAPIHono } from "@hono/zod-openapi";
import { getPath } from "hono/utils/url";
import { refuse } from "#core/errors.ts";
import type { Config, Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";
import { boards } from "./accounts/boards.ts";
import { connect } from "./accounts/connect.ts";
import { disconnect } from "./accounts/disconnect.ts";
import { list as listAccounts } from "./accounts/list.ts";
import { sync } from "./accounts/sync.ts";
import { CORS_HEADERS, PREFLIGHT_HEADERS } from "./cors.ts";
import { buildDocument } from "./document/build.ts";
import type { ApiEnv } from "./env.ts";
import { onError, TransportError } from "./errors.ts";
import { importByUrl } from "./media/import.ts";
import { beginUpload } from "./media/start-upload.ts";
import { allowOf, methodTable } from "./methods.ts";
import { list as listPlatforms } from "./platforms/list.ts";
import { attempts } from "./posts/attempts.ts";
import { cancel } from "./posts/cancel.ts";
import { confirm } from "./posts/confirm.ts";
import { editConfirm } from "./posts/edit-confirm.ts";
import { editPreview } from "./posts/edit-preview.ts";
import { get } from "./posts/get.ts";
import { list as listPosts } from "./posts/list.ts";
import { preview } from "./posts/preview.ts";
import { requestIdOf } from "./request-id.ts";
import { summary } from "./schedule/summary.ts";
import { activate } from "./workspaces/activate.ts";
import { create } from "./workspaces/create.ts";
import { list as listWorkspaces } from "./workspaces/list.ts";

/** Where the API is mounted: `BASE_URL` ends in it. */
export const API_PREFIX = "/v1";

/** In the order of the document; what is spelled out comes before what has a parameter. */
const OPERATIONS = [
  listAccounts,
  connect,
  disconnect,
  sync,
  ...boards,
  listWorkspaces,
  create,
  activate,
  listPlatforms,
  importByUrl,
  beginUpload,
  summary,
  listPosts,
  preview,
  confirm,
  editPreview,
  editConfirm,
  get,
  cancel,
  attempts,
];

const DOCUMENT_PATH = "/openapi.json";

/** The document is made on first use and kept as text: what it says is the same for the life of an isolate. */
function documentKeeper(operations: OpenAPIHono<ApiEnv>): (config: Config) => string {
  let kept: string | undefined;
  return (config) => {
    kept ??= buildDocument(operations, config);
    return kept;
  };
}

/** The API under `/v1`; its own paths, and those of the document, are relative to that. */
export function createApi(createOutbound: (env: Env) => Outbound): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({
    getPath: (request) => getPath(request).slice(API_PREFIX.length) || "/",
  });
  app.onError(onError);

  app.use(async (c, next) => {
    const services = createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    c.set("services", services);
    const requestId = requestIdOf(c.req.raw, services.ids);
    c.set("requestId", requestId);
    c.header("X-Request-Id", requestId);
    c.header("Cache-Control", "no-store");
    c.header("X-Content-Type-Options", "nosniff");
    for (const [name, value] of CORS_HEADERS) {
      c.header(name, value);
    }
    if (c.req.method === "OPTIONS") {
      for (const [name, value] of PREFLIGHT_HEADERS) {
        c.header(name, value);
      }
      return c.body(null, 204);
    }
    const methods = methodsOf(c.req.path);
    const method = c.req.method === "HEAD" ? "GET" : c.req.method;
    if (methods && !methods.has(method)) {
      const allow = allowOf(methods);
      c.header("Allow", allow);
      throw new TransportError("method_not_allowed", `${c.req.method} is not allowed here: use ${allow}`);
    }
    return next();
  });

  for (const operation of OPERATIONS) {
    app.route("/", operation);
  }
  const documentOf = documentKeeper(app);
  app.get(DOCUMENT_PATH, (c) => {
    c.header("Cache-Control", "public, max-age=300");
    c.header("Content-Type", "application/json");
    return c.body(documentOf(c.var.services.config));
  });
  app.notFound(() => refuse({ code: "not_found", message: "there is nothing at this address" }));

  const methodsOf = methodTable(app.routes);
  return app;
}
