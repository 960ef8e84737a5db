import { exports } from "cloudflare:workers";
import { type Context as HttpContext, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { z } from "zod";
import { createKey, createUser } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { toInstant } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { connectAccount } from "./connect.ts";
import type { Simulator } from "./contract.ts";
import type { SandboxEnv } from "./env.ts";
import { Fault, FAULTS_MAX } from "./faults.ts";
import { Connecting, CronRun, NewSandboxUser, Revoking, Settings, Since } from "./inputs.ts";
import { BadRequest } from "./refusal.ts";
import { simulatorAt, simulatorNamed, simulators } from "./registry.ts";
import { SAMPLES } from "./samples.ts";
import { readStanding } from "./store.ts";
import { browserUrl, callPlatform, objectOf, sandboxWorld } from "./outbound.ts";

const BODY_MAX_BYTES = 1024 * 1024;

type SandboxHttp = HttpContext<{ Bindings: SandboxEnv }>;

/** The body, checked; an empty one counts as `{}`. */
async function read<T>(c: SandboxHttp, schema: z.ZodType<T>): Promise<T> {
  const text = await c.req.text();
  let body: unknown;
  try {
    body = text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new BadRequest("the body is not JSON");
  }
  return check(schema, body);
}

function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const sentences = parsed.error.issues.map((issue) => `${issue.path.join(".") || "the body"}: ${issue.message}`);
    throw new BadRequest(sentences.join("; "));
  }
  return parsed.data;
}

function named(word: string): Simulator {
  const simulator = simulatorNamed(word);
  if (!simulator) {
    throw new BadRequest(`there is no simulator of "${word}"; there is one of ${Object.keys(simulators).join(", ")}`);
  }
  return simulator;
}

const namedIn = (c: SandboxHttp): Simulator => named(c.req.param("platform") ?? "");

/** Accounts by the platform's id or by the login's name. */
function accountsOf({ logins }: Simulator, word: string): readonly string[] {
  return logins.flatMap(({ name, accounts }) => (name === word ? accounts : accounts.filter((id) => id === word)));
}

/** What a test or a person can do with the sandbox; mounted at the root of its own entry, never part of production. */
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

  // A consent page is the platform's own: its host stands in the path, and its forms may post to it.
  app.all("/:host{[^/]+\\.[^/]+}/*", async (c) => {
    const host = c.req.param("host");
    if (!simulatorAt(host)) {
      throw new BadRequest(`no simulator answers for ${host}`);
    }
    const { pathname, search } = new URL(c.req.url);
    const real = new URL(`https://${host}${pathname.slice(`/sandbox/${host}`.length)}${search}`);
    let answer: Response;
    try {
      answer = await callPlatform(c.env, new Request(real, c.req.raw));
    } catch {
      return c.text("the connection to the platform was lost", 502);
    }
    const location = answer.headers.get("location");
    if (location === null) {
      return answer;
    }
    const onward = new URL(location, real);
    const headers = new Headers(answer.headers);
    headers.set("location", String(simulatorAt(onward.hostname) ? browserUrl(c.env.ORIGIN, onward) : onward));
    return new Response(answer.body, { status: answer.status, headers });
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
      throw new BadRequest(`there is no such sample; there are ${[...SAMPLES.keys()].join(", ")}`);
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
    const input = await read(c, NewSandboxUser);
    const services = createServices(c.env, sandboxWorld(c.env), (work) => c.executionCtx.waitUntil(work));
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
    const input = await read(c, Connecting);
    const simulator = named(input.platform);
    if (!simulator.logins.some((login) => login.name === input.login)) {
      throw new BadRequest(
        `${input.platform} knows no "${input.login}"; it knows ${simulator.logins.map((login) => login.name).join(", ")}`,
      );
    }
    const accounts = await connectAccount(c.env, (request) => exports.default.fetch(request), input);
    return c.json({ accounts });
  });

  app.get("/platforms", (c) =>
    c.json({
      platforms: Object.values(simulators).map(({ platform, hosts, logins }) => ({ platform, hosts, logins })),
    }),
  );

  app.get("/platforms/:platform/posts", async (c) => {
    const simulator = namedIn(c);
    const word = c.req.query("account");
    const object = objectOf(c.env, simulator.platform);
    if (word === undefined) {
      return c.json({ posts: await object.book(null) });
    }
    const accounts = accountsOf(simulator, word);
    if (accounts.length === 0 && !simulator.logins.some((login) => login.name === word)) {
      throw new BadRequest(`${simulator.platform} knows no account "${word}"`);
    }
    const books = await Promise.all(accounts.map((account) => object.book(account)));
    return c.json({ posts: books.flat().toSorted((a, b) => Date.parse(a.accepted_at) - Date.parse(b.accepted_at)) });
  });

  app.get("/platforms/:platform/calls", async (c) => {
    const { platform } = namedIn(c);
    const since = check(Since, c.req.query("since") ?? 0);
    return c.json({ calls: await objectOf(c.env, platform).calls(since) });
  });

  app.get("/platforms/:platform/faults", async (c) =>
    c.json({ faults: await objectOf(c.env, namedIn(c).platform).faults() }),
  );

  app.post("/platforms/:platform/faults", async (c) => {
    const object = objectOf(c.env, namedIn(c).platform);
    const fault = await read(c, Fault);
    const open = await object.addFault(fault);
    if (open === null) {
      throw new BadRequest(`there are ${FAULTS_MAX} open faults already`);
    }
    return c.json({ fault, open_faults: open });
  });

  app.delete("/platforms/:platform/faults", async (c) => {
    await objectOf(c.env, namedIn(c).platform).clearFaults();
    return c.json({ faults: [] });
  });

  app.post("/platforms/:platform/settings", async (c) => {
    const { platform } = namedIn(c);
    return c.json({ settings: await objectOf(c.env, platform).change(await read(c, Settings)) });
  });

  app.post("/platforms/:platform/revoke", async (c) => {
    const { platform } = namedIn(c);
    const { account } = await read(c, Revoking);
    if (!(await objectOf(c.env, platform).revoke(account))) {
      throw new BadRequest(`nobody at ${platform} known as "${account}" has given the app access`);
    }
    return c.json({ revoked: true });
  });

  app.post("/cron", async (c) => {
    const { cron } = await read(c, CronRun);
    await runCron(c.env, c.executionCtx as ExecutionContext, cron);
    return c.json({ cron, ran: true });
  });

  app.get("/status", async (c) => {
    const services = createServices(c.env, sandboxWorld(c.env), (work) => c.executionCtx.waitUntil(work));
    const standing = await readStanding(services.db, services.clock.now());
    const open = await Promise.all(
      Object.values(simulators).map(
        async ({ platform }) => [platform, await objectOf(c.env, platform).faults()] as const,
      ),
    );
    return c.json({
      posts: standing.posts,
      armed: standing.armed,
      publishing: standing.posts.publishing,
      overdue: standing.overdue,
      next_due_at: standing.nextDueAt === null ? null : toInstant(standing.nextDueAt),
      faults: Object.fromEntries(open.filter(([, faults]) => faults.length > 0)),
    });
  });

  app.notFound((c) => c.json({ error: "the sandbox has no such call", code: "not_found" }, 404));

  return app;
}
