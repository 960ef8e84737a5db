import { Hono } from "hono";
import { createFileRoutes } from "#api/files/index.ts";
import { createHealthRoutes } from "#api/health.ts";
import { API_PREFIX, createApi } from "#api/index.ts";
import { log } from "#core/log.ts";
import { once } from "#core/once.ts";
import { runReconciler } from "#publisher/index.ts";
import { checkDatabase } from "#restore/check-database.ts";
import { wakeOverdueSenders } from "#webhooks/index.ts";
import { pathOf } from "#wire/path-of.ts";
import type { Env } from "./config.ts";
import { createServices, type Outbound } from "./context.ts";

const MCP_PATH = "/mcp";

const OPERATOR_PREFIX = "/operator/";

// These modules load lazily: most isolates never need them, and start faster without their code.
const loadMcp = once(() => import("#mcp/index.ts"));
const loadBrowserPages = once(() => import("./browser-pages.ts"));
const loadOperator = once(() => import("#operator/index.ts"));
const loadSync = once(() => import("#sync/index.ts"));

/** The handlers that a Worker entry file exports. */
export interface Service {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>;
  scheduled(env: Env, ctx: ExecutionContext): Promise<void>;
}

/** The request that reads the API's OpenAPI document. */
const documentRequest = ({ ORIGIN }: Env): Request => new Request(`${ORIGIN}${API_PREFIX}/openapi.json`);

/**
 * The complete service: the API under its prefix, the MCP server at its path, the operator's requests, and pages and
 * OAuth at all other paths.
 */
export function createService(createOutbound: (env: Env) => Outbound): Service {
  const api = createApi(createOutbound);
  let pages: Hono<{ Bindings: Env }> | undefined;
  const app = new Hono<{ Bindings: Env }>();
  app.route("/", createHealthRoutes(createOutbound));
  app.route("/", createFileRoutes(createOutbound));
  app.all("*", async (c) => {
    const { createBrowserPages } = await loadBrowserPages();
    pages ??= createBrowserPages(createOutbound, async (env, ctx) => await api.fetch(documentRequest(env), env, ctx));
    return await pages.fetch(c.req.raw, c.env, c.executionCtx);
  });

  return {
    fetch(request, env, ctx) {
      const path = pathOf(request);
      if (path === MCP_PATH) {
        return loadMcp().then(({ serveMcp }) => serveMcp(request, env, ctx, createOutbound));
      }
      if (path.startsWith(OPERATOR_PREFIX)) {
        return loadOperator().then(({ serveOperator }) => serveOperator(request, env, ctx, createOutbound));
      }
      const isApi = path === API_PREFIX || path.startsWith(`${API_PREFIX}/`);
      return isApi ? api.fetch(request, env, ctx) : app.fetch(request, env, ctx);
    },
    async scheduled(env, ctx) {
      const services = createServices(env, createOutbound(env), (work) => ctx.waitUntil(work));
      // Run these jobs in parallel, so that a failure of one does not leave posts overdue or logins to expire.
      const checked = checkDatabase(services);
      const reconciled = checked
        // mutant: no-reconciler
        .then((row) => runReconciler(services, row))
        .catch((error: unknown) => {
          log("error", "reconcile.failed", { error: error instanceof Error ? error.name : typeof error });
        });
      // Webhooks come after posts, because posts are the first purpose of the cron.
      const told = reconciled
        // mutant: no-webhook-reconciler
        .then(() => wakeOverdueSenders(services))
        .catch((error: unknown) => {
          log("error", "webhook.overdue_failed", { error: error instanceof Error ? error.name : typeof error });
        });
      const isHeld = checked.then(
        ({ held }) => held !== null,
        () => false,
      );
      const jobs = loadSync().then(async ({ runCron }) => await runCron(services, { isHeld: await isHeld }));
      await Promise.all([reconciled, told, jobs]);
    },
  };
}
