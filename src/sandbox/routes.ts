import { exports } from "cloudflare:workers";
import { type Context as HttpContext, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { createKey, createUser } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { toIsoInstant } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { connectAccount } from "./connect-account.ts";
import type { Simulator } from "./contract.ts";
import type { SandboxEnv } from "./env.ts";
import { InjectedFault, FAULTS_MAX } from "./injected-fault.ts";
import {
  ConnectInput,
  RunCronInput,
  CreateUserInput,
  RevokeInput,
  SettingsInput,
  SinceParam,
} from "./request-schemas.ts";
import { BadRequest } from "./bad-request.ts";
import { findSimulatorByHost, findSimulator, simulators } from "./registry.ts";
import { SAMPLES } from "./samples.ts";
import { readPostStatistics } from "./store.ts";
import { browserUrl, callPlatform, simulatorStub, sandboxOutbound } from "./outbound.ts";

const BODY_MAX_BYTES = 1024 * 1024;

type SandboxHttp = HttpContext<{ Bindings: SandboxEnv }>;

/** An empty body counts as `{}`. */
async function readBody<T>(c: SandboxHttp, schema: z.ZodType<T>): Promise<T> {
  const text = await c.req.text();
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new BadRequest("the body is not JSON");
  }
  return parseWith(schema, body);
}

function parseWith<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const messages = parsed.error.issues.map((issue) => `${issue.path.join(".") || "the body"}: ${issue.message}`);
    throw new BadRequest(messages.join("; "));
  }
  return parsed.data;
}

function requireSimulator(name: string): Simulator {
  const simulator = findSimulator(name);
  if (!simulator) {
    throw new BadRequest(`unknown platform "${name}"; the platforms are ${Object.keys(simulators).join(", ")}`);
  }
  return simulator;
}

const simulatorFromPath = (c: SandboxHttp): Simulator => requireSimulator(c.req.param("platform") ?? "");

/** Accounts by the platform's id or by the login's name. */
function accountsOf({ logins }: Simulator, accountOrLogin: string): readonly string[] {
  return logins.flatMap(({ name, accounts }) =>
    name === accountOrLogin ? accounts : accounts.filter((id) => id === accountOrLogin),
  );
}

/** The sandbox's own routes under /sandbox; only the sandbox entry point mounts them, never production. */
export function sandboxRoutes(runCron: (env: SandboxEnv, ctx: ExecutionContext, cron: string) => Promise<void>) {
  const app = new Hono<{ Bindings: SandboxEnv }>().basePath("/sandbox");

  app.onError((error, c) => {
    if (error instanceof BadRequest) {
      return c.json({ error: error.message, code: "invalid_request" }, 400);
    }
    if (error instanceof RefusalError) {
      return c.json({ error: error.refusal.message, code: error.refusal.code, details: error.refusal.details }, 400);
    }
    log("error", "sandbox_failed", { error: String(error) });
    return c.json({ error: "the sandbox failed", code: "internal_error" }, 500);
  });

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

  app.use(
    bodyLimit({
      maxSize: BODY_MAX_BYTES,
      onError: (c) => c.json({ error: "the body is over 1 MiB", code: "body_too_large" }, 413),
    }),
  );

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
    const { key } = await createKey(services, { userId, name: "sandbox", scopes: input.scopes, expiresInDays: null });
    return c.json({ user_id: userId, workspace_id: workspaceId, email, password, api_key: key });
  });

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

  app.get("/platforms", (c) =>
    c.json({
      platforms: Object.values(simulators).map(({ platform, hosts, logins }) => ({ platform, hosts, logins })),
    }),
  );

  app.get("/platforms/:platform/posts", async (c) => {
    const simulator = simulatorFromPath(c);
    const accountOrLogin = c.req.query("account");
    const stub = simulatorStub(c.env, simulator.platform);
    if (accountOrLogin === undefined) {
      return c.json({ posts: await stub.publishedPosts(null) });
    }
    const accounts = accountsOf(simulator, accountOrLogin);
    if (accounts.length === 0 && !simulator.logins.some((login) => login.name === accountOrLogin)) {
      throw new BadRequest(`${simulator.platform} has no account "${accountOrLogin}"`);
    }
    const postLists = await Promise.all(accounts.map((account) => stub.publishedPosts(account)));
    return c.json({
      posts: postLists.flat().toSorted((a, b) => Date.parse(a.accepted_at) - Date.parse(b.accepted_at)),
    });
  });

  app.get("/platforms/:platform/calls", async (c) => {
    const { platform } = simulatorFromPath(c);
    const since = parseWith(SinceParam, c.req.query("since") ?? 0);
    return c.json({ calls: await simulatorStub(c.env, platform).calls(since) });
  });

  app.get("/platforms/:platform/faults", async (c) =>
    c.json({ faults: await simulatorStub(c.env, simulatorFromPath(c).platform).openFaults() }),
  );

  app.post("/platforms/:platform/faults", async (c) => {
    const stub = simulatorStub(c.env, simulatorFromPath(c).platform);
    const fault = await readBody(c, InjectedFault);
    const openFaults = await stub.addFault(fault);
    if (openFaults === null) {
      throw new BadRequest(`there are ${FAULTS_MAX} open faults already`);
    }
    return c.json({ fault, open_faults: openFaults });
  });

  app.delete("/platforms/:platform/faults", async (c) => {
    await simulatorStub(c.env, simulatorFromPath(c).platform).clearFaults();
    return c.json({ faults: [] });
  });

  app.post("/platforms/:platform/settings", async (c) => {
    const { platform } = simulatorFromPath(c);
    return c.json({ settings: await simulatorStub(c.env, platform).changeSettings(await readBody(c, SettingsInput)) });
  });

  app.post("/platforms/:platform/revoke", async (c) => {
    const { platform } = simulatorFromPath(c);
    const { account } = await readBody(c, RevokeInput);
    if (!(await simulatorStub(c.env, platform).revoke(account))) {
      throw new BadRequest(`no login of ${platform} with the account or name "${account}" has given the app access`);
    }
    return c.json({ revoked: true });
  });

  app.post("/cron", async (c) => {
    const { cron } = await readBody(c, RunCronInput);
    await runCron(c.env, c.executionCtx as ExecutionContext, cron);
    return c.json({ cron, ran: true });
  });

  app.get("/status", async (c) => {
    const services = createServices(c.env, sandboxOutbound(c.env), (promise) => c.executionCtx.waitUntil(promise));
    const statistics = await readPostStatistics(services.db, services.clock.now());
    const openFaults = await Promise.all(
      Object.values(simulators).map(
        async ({ platform }) => [platform, await simulatorStub(c.env, platform).openFaults()] as const,
      ),
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

  app.notFound((c) => c.json({ error: "the sandbox has no such route", code: "not_found" }, 404));

  return app;
}
