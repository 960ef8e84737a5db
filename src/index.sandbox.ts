import { DurableObject } from "cloudflare:workers";
import { definePlatformSimulator, type SandboxEnv, sandboxRoutes } from "#sandbox/index.ts";

export class PostPublisher extends DurableObject {}
export const PlatformSimulator = definePlatformSimulator();

const sandbox = sandboxRoutes(() => Promise.resolve());

export default {
  fetch: (request: Request, env: SandboxEnv, ctx: ExecutionContext) => sandbox.fetch(request, env, ctx),
};
