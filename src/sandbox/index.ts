export { type SandboxEnv, withSandboxCredentials } from "./env.ts";
export { withD1Counter } from "./d1-counter.ts";
export { locationOf, withSlowKv } from "./slow-kv.ts";
export { enableFailpoints } from "./failpoint-rate.ts";
export { sandboxRoutes } from "./routes.ts";
export { definePlatformSimulator } from "./durable-object.ts";
export { defineWebhookReceiver } from "./receivers/durable-object.ts";
export { sandboxOutbound } from "./outbound.ts";
export { handleSimulatorRequest } from "./simulators-worker.ts";
