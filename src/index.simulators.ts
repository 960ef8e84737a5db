import {
  definePlatformSimulator,
  defineWebhookReceiver,
  handleSimulatorRequest,
  type SandboxEnv,
} from "#sandbox/index.ts";

/* Runs the simulated platforms and webhook receivers without the service, for `npm run sandbox`. It is never
   deployed. */

export const PlatformSimulator = definePlatformSimulator();
export const WebhookReceiver = defineWebhookReceiver();

export default { fetch: handleSimulatorRequest() } satisfies ExportedHandler<SandboxEnv>;
