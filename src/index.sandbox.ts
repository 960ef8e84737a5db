import { definePublisher } from "#publisher/index.ts";
import {
  definePlatformSimulator,
  plantFaultPoints,
  type SandboxEnv,
  sandboxRoutes,
  sandboxWorld,
  withSandboxApps,
} from "#sandbox/index.ts";
import { createService } from "./service.ts";

const service = createService(sandboxWorld);
const sandbox = sandboxRoutes((env, ctx) => service.scheduled(withSandboxApps(env), ctx));

/** Knows the made-up apps of the simulators, like every other part of the sandbox. */
export class PostPublisher extends definePublisher(sandboxWorld) {
  constructor(ctx: DurableObjectState, env: SandboxEnv) {
    plantFaultPoints(env);
    super(ctx, withSandboxApps(env));
  }
}

export const PlatformSimulator = definePlatformSimulator();

export default {
  fetch(request, env, ctx) {
    plantFaultPoints(env);
    const known = withSandboxApps(env);
    return new URL(request.url).pathname.startsWith("/sandbox/")
      ? sandbox.fetch(request, known, ctx)
      : service.fetch(request, known, ctx);
  },
  scheduled: (_event, env, ctx) => service.scheduled(withSandboxApps(env), ctx),
} satisfies ExportedHandler<SandboxEnv>;
