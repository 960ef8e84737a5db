export { type SandboxEnv, withSandboxApps } from "./env.ts";
export { sandboxRoutes } from "./routes.ts";
export { definePlatformSimulator } from "./simulator.ts";
export { sandboxWorld } from "./world.ts";
