import sandbox from "#index.sandbox.ts";
import { sandboxWorld, type SandboxEnv, withSandboxApps } from "#sandbox/index.ts";
import { createService } from "#service.ts";

export { PlatformSimulator, PostPublisher } from "#index.sandbox.ts";

/*
 * The sandbox with one difference: media may come from `SOAK_SOURCE`, over a real connection. No address on this machine
 * passes the gate otherwise, and that is as it should be.
 */
const service = createService((env) => ({
  ...sandboxWorld(env),
  trustedMediaOrigin: String(env["SOAK_SOURCE"]),
  publicFetch: (request) => fetch(request),
}));

export default {
  fetch(request, env, ctx) {
    return new URL(request.url).pathname.startsWith("/sandbox/")
      ? sandbox.fetch(request, env, ctx)
      : service.fetch(request, withSandboxApps(env), ctx);
  },
} satisfies ExportedHandler<SandboxEnv>;
