import { exports } from "cloudflare:workers";
import { Hono } from "hono";
import { createKey, createUser } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { toIsoInstant } from "#core/clock.ts";
import { BadRequest } from "./bad-request.ts";
import { connectAccount } from "./connect-account.ts";
import { readD1Counts } from "./d1-counter.ts";
import type { SandboxEnv } from "./env.ts";
import { browserUrl, callPlatform, readOpenFaults, sandboxOutbound } from "./outbound.ts";
import { limitBody, platformRoutes, requireSimulator } from "./platform-routes.ts";
import { errorResponse, readBody } from "./read-body.ts";
import { findSimulatorByHost, simulators } from "./registry.ts";
import { receiverRoutes } from "./receivers/routes.ts";
import { simulatorsOrigin } from "./remote-simulators.ts";
import { ConnectInput, CreateUserInput, RunCronInput } from "./request-schemas.ts";
import { SAMPLES } from "./samples.ts";
import { type PageRequests, samplePostRoutes } from "./sample-posts.ts";
import { slowKvMisses } from "./slow-kv.ts";
import { readPostStatistics } from "./store.ts";

/** The sandbox's own routes under /sandbox. Only the sandbox entry point mounts them, never production. */
export function sandboxRoutes(
  runCron: (env: SandboxEnv, ctx: ExecutionContext, cron: string) => Promise<void>,
  pageRequests: PageRequests,
) {
  const app = new Hono<{ Bindings: SandboxEnv }>().basePath("/sandbox");

  app.onError(errorResponse);

  // Pages of a platform (consent, forms): the first path segment is the platform's host.
  app.all("/:host{[^/]+\\.[^/]+}/*", async (c) => {
    const host = c.req.param("host");
    if (!findSimulatorByHost(host)) {
      throw new BadRequest(`no simulator for the host ${host}`);
    }
    const { pathname, search } = new URL(c.req.url);
    const platformUrl = new URL(`https://${host}${pathname.slice(`/sandbox/${host}`.length)}${search}`);
    let response: Response;
    try {
      response = await callPlatform(c.env, new Request(platformUrl, c.req.raw));
    } catch {
      return c.text("the connection to the platform was lost", 502);
    }
    const location = response.headers.get("location");
    if (location === null) {
      return response;
    }
    const target = new URL(location, platformUrl);
    const headers = new Headers(response.headers);
    headers.set("location", String(findSimulatorByHost(target.hostname) ? browserUrl(c.env.ORIGIN, target) : target));
    return new Response(response.body, { status: response.status, headers });
  });

  app.get("/media", (c) =>
    c.json({
      media: Array.from(SAMPLES, ([name, sample]) => ({
        name,
        url: `${c.env.ORIGIN}/sandbox/media/${name}`,
        content_type: sample.contentType,
        about: sample.about,
      })),
    }),
  );

  app.get("/media/:name", (c) => {
    const sample = SAMPLES.get(c.req.param("name"));
    if (!sample) {
      throw new BadRequest(`unknown sample; the samples are ${[...SAMPLES.keys()].join(", ")}`);
    }
    return new Response(sample.bytes, {
      headers: {
        "content-type": sample.contentType,
        "content-length": String(sample.bytes.byteLength),
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=3600",
      },
    });
  });

  app.use(limitBody);

  app.post("/users", async (c) => {
    const input = await readBody(c, CreateUserInput);
    const services = createServices(c.env, sandboxOutbound(c.env), (promise) => c.executionCtx.waitUntil(promise));
    const email = input.email ?? `${crypto.randomUUID()}@sandbox.example`;
    const password = input.password ?? crypto.randomUUID();
    const { userId, workspaceId } = await createUser(services, {
      email,
      password,
      plan: input.plan,
      subscription: input.subscription,
    });
    const { key } = await createKey(services, {
      userId,
      name: "sandbox",
      scopes: input.scopes,
      expiresInDays: null,
      workspaceId: input.pinned ? workspaceId : null,
    });
    return c.json({ user_id: userId, workspace_id: workspaceId, email, password, api_key: key });
  });

  app.route("/sample-posts", samplePostRoutes(pageRequests));

  app.post("/connect", async (c) => {
    const input = await readBody(c, ConnectInput);
    const simulator = requireSimulator(input.platform);
    const user = simulator.logins.find((login) => login.name === input.login);
    if (!user) {
      throw new BadRequest(
        `${input.platform} has no login "${input.login}"; the logins are ${simulator.logins.map((login) => login.name).join(", ")}`,
      );
    }
    const accounts = await connectAccount(c.env, (request) => exports.default.fetch(request), {
      ...input,
      input: { ...user.connectInput, ...input.input },
    });
    return c.json({ accounts });
  });

  // If the simulators run in their own worker, these calls go there, like those of the adapters and the webhooks.
  app.on("ALL", ["/platforms/*", "/receivers/*"], (c, next) => {
    const origin = simulatorsOrigin(c.env);
    return origin === null ? next() : fetch(new Request(origin + c.req.path + new URL(c.req.url).search, c.req.raw));
  });
  app.route("/", platformRoutes());
  app.route("/", receiverRoutes());

  app.post("/cron", async (c) => {
    const { cron } = await readBody(c, RunCronInput);
    await runCron(c.env, c.executionCtx as ExecutionContext, cron);
    return c.json({ cron, ran: true });
  });

  app.get("/status", async (c) => {
    const services = createServices(c.env, sandboxOutbound(c.env), (promise) => c.executionCtx.waitUntil(promise));
    const statistics = await readPostStatistics(services.db, services.clock.now());
    const openFaults = await Promise.all(
      Object.values(simulators).map(async ({ platform }) => [platform, await readOpenFaults(c.env, platform)] as const),
    );
    return c.json({
      posts: statistics.countByStatus,
      armed: statistics.armed,
      publishing: statistics.countByStatus.publishing,
      overdue: statistics.overdue,
      next_due_at: statistics.nextDueAt === null ? null : toIsoInstant(statistics.nextDueAt),
      faults: Object.fromEntries(openFaults.filter(([, faults]) => faults.length > 0)),
    });
  });

  app.get("/d1", (c) => c.json(readD1Counts()));

  app.get("/kv", (c) => c.json({ misses: slowKvMisses(c.env) }));

  app.notFound((c) => c.json({ error: "the sandbox has no such route", code: "not_found" }, 404));

  return app;
}
