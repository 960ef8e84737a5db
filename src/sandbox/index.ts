export { type SandboxEnv, withSandboxApps } from "./env.ts";
export { plantFaultPoints } from "./fault-rate.ts";
export { sandboxRoutes } from "./routes.ts";
export { definePlatformSimulator } from "./simulator.ts";
export { sandboxWorld } from "./outbound.ts";
