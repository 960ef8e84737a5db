import { definePlatformSimulator, handleSimulatorRequest, type SandboxEnv } from "#sandbox/index.ts";

/* The simulated platforms without the service: `npm run sandbox`. Never deployed. */

export const PlatformSimulator = definePlatformSimulator();

export default { fetch: handleSimulatorRequest() } satisfies ExportedHandler<SandboxEnv>;
