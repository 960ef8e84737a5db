import { OpenAPIHono } from "@hono/zod-openapi";
import { refuse } from "#core/errors.ts";
import type { Config, Env } from "#config.ts";
import { createServices, type Outbound } from "#context.ts";
import { get as getApproval } from "./approvals/get.ts";
import { list as listApprovals } from "./approvals/list.ts";
import { withdraw } from "./approvals/withdraw.ts";
import { boards } from "./accounts/boards.ts";
import { connect } from "./accounts/connect.ts";
import { disconnect } from "./accounts/disconnect.ts";
import { list as listAccounts } from "./accounts/list.ts";
import { sync } from "./accounts/sync.ts";
import { CORS_HEADERS, PREFLIGHT_HEADERS } from "./cors.ts";
import { buildDocument } from "./document/build.ts";
import type { ApiEnv } from "./env.ts";
import { onError, TransportError } from "./errors.ts";
import { get as getEvent } from "./events/get.ts";
import { list as listEvents } from "./events/list.ts";
import { list as listLimits } from "./limits/list.ts";
import { importByUrl } from "./media/import.ts";
import { beginUpload } from "./media/start-upload.ts";
import { allowHeader, createMethodLookup } from "./allowed-methods.ts";
import { list as listPlatforms } from "./platforms/list.ts";
import { attempts } from "./posts/attempts.ts";
import { cancel } from "./posts/cancel.ts";
import { confirm } from "./posts/confirm.ts";
import { editConfirm } from "./posts/edit-confirm.ts";
import { editPreview } from "./posts/edit-preview.ts";
import { get } from "./posts/get.ts";
import { list as listPosts } from "./posts/list.ts";
import { preview } from "./posts/preview.ts";
import { VERSION, VERSION_HEADER } from "#core/version.ts";
import { pathOf } from "#wire/path-of.ts";
import { getRequestId } from "#wire/request-id.ts";
import { summary } from "./schedule/summary.ts";
import { create as createWebhook } from "./webhooks/create.ts";
import { remove as deleteWebhook } from "./webhooks/delete.ts";
import { deliveries } from "./webhooks/deliveries.ts";
import { get as getWebhook } from "./webhooks/get.ts";
import { readDelivery } from "./webhooks/get-delivery.ts";
import { list as listWebhooks } from "./webhooks/list.ts";
import { replay } from "./webhooks/replay.ts";
import { resend } from "./webhooks/resend.ts";
import { rotate } from "./webhooks/rotate-secret.ts";
import { test as testWebhook } from "./webhooks/test.ts";
import { update as updateWebhook } from "./webhooks/update.ts";
import { activate } from "./workspaces/activate.ts";
import { create } from "./workspaces/create.ts";
import { list as listWorkspaces } from "./workspaces/list.ts";

/** Where the API is mounted: `BASE_URL` ends in it. */
export const API_PREFIX = "/v1";

/** In the order of the document. A literal path is registered before a path with a parameter that would match it too. */
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
  listLimits,
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
  listApprovals,
  getApproval,
  withdraw,
  listEvents,
  getEvent,
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotate,
  testWebhook,
  deliveries,
  readDelivery,
  resend,
  replay,
];

const DOCUMENT_PATH = "/openapi.json";

/** Builds the document on first use and caches its text, which is constant for the lifetime of an isolate. */
function createDocumentCache(operations: OpenAPIHono<ApiEnv>): (config: Config) => string {
  let cachedDocument: string | undefined;
  return (config) => {
    cachedDocument ??= buildDocument(operations, config);
    return cachedDocument;
  };
}

/** The API under `/v1`. Paths of routes and of the document are relative to that prefix. */
export function createApi(createOutbound: (env: Env) => Outbound): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({
    // `/posts/` is the same as `/posts`, also for the method lookup and for the hash of an idempotency key.
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

  for (const operation of OPERATIONS) {
    app.route("/", operation);
  }
  const readDocument = createDocumentCache(app);
  app.get(DOCUMENT_PATH, (c) => {
    c.header("Cache-Control", "public, max-age=300");
    c.header("Content-Type", "application/json");
    return c.body(readDocument(c.get("services").config));
  });
  app.notFound(() => refuse({ code: "not_found", message: "there is nothing at this URL" }));

  const findMethods = createMethodLookup(app.routes);
  return app;
}
