import { Hono } from "hono";
import { createFileRoutes } from "#api/files/index.ts";
import { createHealthRoutes } from "#api/health.ts";
import { API_PREFIX, createApi } from "#api/index.ts";
import { log } from "#core/log.ts";
import type * as Mcp from "#mcp/index.ts";
import type * as Operator from "#operator/index.ts";
import { checkDatabase, runReconciler } from "#publisher/index.ts";
import type * as Sync from "#sync/index.ts";
import { wakeOverdueSenders } from "#webhooks/index.ts";
import { pathOf } from "#wire/path-of.ts";
import type * as BrowserPages from "./browser-pages.ts";
import type { Env } from "./config.ts";
import { createServices, type Outbound } from "./context.ts";

const MCP_PATH = "/mcp";

let mcp: typeof Mcp | undefined;

/** Loaded with its first request: most isolates never see one, and its libraries take time to start. */
async function loadMcp(): Promise<typeof Mcp> {
  mcp ??= await import("#mcp/index.ts");
  return mcp;
}

let browserPages: typeof BrowserPages | undefined;

/** Loaded with its first request too: an isolate that serves the API alone starts without the pages. */
async function loadBrowserPages(): Promise<typeof BrowserPages> {
  browserPages ??= await import("./browser-pages.ts");
  return browserPages;
}

const OPERATOR_PREFIX = "/operator/";

let operator: typeof Operator | undefined;

/** Loaded with its first request: an operator asks a few times a year. */
async function loadOperator(): Promise<typeof Operator> {
  operator ??= await import("#operator/index.ts");
  return operator;
}

let sync: typeof Sync | undefined;

/** Most isolates never run the cron. */
async function loadSync(): Promise<typeof Sync> {
  sync ??= await import("#sync/index.ts");
  return sync;
}

/** The handlers that a Worker entry file exports. */
export interface Service {
  fetch(request: Request, env: Env, ctx: ExecutionContext): Response | Promise<Response>;
  scheduled(env: Env, ctx: ExecutionContext): Promise<void>;
}

/** The complete service: the API under its prefix, the MCP server at its path, what the operator asks, pages and OAuth for all other paths. */
export function createService(createOutbound: (env: Env) => Outbound): Service {
  const api = createApi(createOutbound);
  let pages: Hono<{ Bindings: Env }> | undefined;
  const app = new Hono<{ Bindings: Env }>();
  app.route("/", createHealthRoutes(createOutbound));
  app.route("/", createFileRoutes(createOutbound));
  app.all("*", async (c) => {
    const { createBrowserPages } = await loadBrowserPages();
    pages ??= createBrowserPages(createOutbound);
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
      // Side by side: whatever happens to one, overdue posts are armed and logins stay alive.
      const checked = checkDatabase(services);
      const reconciled = checked
        .then((row) => runReconciler(services, row))
        .catch((error: unknown) => {
          log("error", "reconcile.failed", { error: error instanceof Error ? error.name : typeof error });
        });
      // After the posts, because these are what the cron is for first.
      const told = reconciled
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
