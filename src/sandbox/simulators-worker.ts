import { Hono } from "hono";
import { requireLoopback, type SandboxEnv } from "./env.ts";
import { simulatorStub } from "./outbound.ts";
import { platformRoutes } from "./platform-routes.ts";
import { errorResponse } from "./read-body.ts";
import { findSimulatorByHost } from "./registry.ts";
import { receiverRoutes } from "./receivers/routes.ts";
import { readForwardedCall } from "./remote-simulators.ts";

/** Handles the requests to the simulators' own worker: the service's forwarded calls, and the routes that control the simulators. */
export function handleSimulatorRequest() {
  const routes = new Hono<{ Bindings: SandboxEnv }>()
    .basePath("/sandbox")
    .onError(errorResponse)
    .route("/", platformRoutes())
    .route("/", receiverRoutes())
    .notFound((c) => c.json({ error: "the simulators have no such route", code: "not_found" }, 404));

  return async (request: Request, env: SandboxEnv, ctx: ExecutionContext): Promise<Response> => {
    requireLoopback("ORIGIN", env.ORIGIN);
    const call = await readForwardedCall(request);
    const simulator = call && findSimulatorByHost(new URL(call.url).hostname);
    if (!call || !simulator) {
      return await routes.fetch(request, env, ctx);
    }
    const response = simulatorStub(env, simulator.platform).fetch(call);
    // The worker waits for the response, because the caller may disconnect before the platform has finished.
    ctx.waitUntil(response.catch(() => undefined));
    return await response;
  };
}
