import { Hono } from "hono";
import type { Env } from "#config.ts";
import { createServices, type Outbound, type Services } from "#context.ts";
import { log } from "#core/log.ts";
import { VERSION, VERSION_HEADER } from "#core/version.ts";
import { isOperator } from "#wire/operator-key.ts";
import { countInvalidCredential, WINDOW_SECONDS } from "#wire/rate-limit.ts";
import { askLiveQuestion, openQuestions } from "./ask-live-question.ts";
import { checkPlatforms } from "./check-platforms.ts";
import { readFacts } from "./read-facts.ts";
import { toJsonWithoutSecrets } from "./without-secrets.ts";

interface OperatorEnv {
  Bindings: Env;
  Variables: { services: Services };
}

const json = (env: Env, body: object, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(toJsonWithoutSecrets(env, body), {
    status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      [VERSION_HEADER]: VERSION,
      ...headers,
    },
  });

/**
 * Serves the operator's commands. `npm run doctor` must ask the service itself, because Cloudflare never returns
 * secrets. Only requests with the operator's key get an answer. The key belongs to no user and gives no other access.
 */
function createOperatorRoutes(createOutbound: (env: Env) => Outbound): Hono<OperatorEnv> {
  const app = new Hono<OperatorEnv>();
  app.use(async (c, next) => {
    const services = createServices(c.env, createOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    if (!isOperator(services.config, c.req.raw.headers)) {
      const isWithinLimit = await countInvalidCredential(c.env, c.req.raw.headers);
      return isWithinLimit
        ? json(c.env, { error: "send OPERATOR_KEY as a bearer token", code: "unauthenticated" }, 401, {
            "WWW-Authenticate": "Bearer",
          })
        : json(c.env, { error: "too many invalid credentials from this address", code: "rate_limited" }, 429, {
            "Retry-After": String(WINDOW_SECONDS),
          });
    }
    c.set("services", services);
    return await next();
  });
  app.onError((error, c) => {
    log("error", "operator.failed", { error: error.name });
    return json(c.env, { error: "the service could not answer; its log says why", code: "internal_error" }, 500);
  });
  app.notFound((c) => json(c.env, { error: "there is nothing at this URL", code: "not_found" }, 404));

  app.get("/operator/facts", async (c) => json(c.env, await readFacts(c.var.services)));
  app.post("/operator/platform-checks", async (c) => json(c.env, { checks: await checkPlatforms(c.var.services) }));
  app.get("/operator/live-questions/:platform", (c) => {
    const questions = openQuestions(c.req.param("platform"));
    return questions === null
      ? json(c.env, { error: "there is no such platform", code: "not_found" }, 404)
      : json(c.env, { questions });
  });
  // The API key in this header shows to whom the account belongs.
  app.post("/operator/live-questions/:question/accounts/:account", async (c) => {
    const key = c.req.header("almanac-account-key");
    return json(
      c.env,
      await askLiveQuestion(c.var.services, {
        questionId: c.req.param("question"),
        accountId: c.req.param("account"),
        authorization: key === undefined ? null : `Bearer ${key}`,
      }),
    );
  });
  return app;
}

export async function serveOperator(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  createOutbound: (env: Env) => Outbound,
): Promise<Response> {
  return await createOperatorRoutes(createOutbound).fetch(request, env, ctx);
}
