import {
  definePlatformSimulator,
  defineWebhookReceiver,
  handleSimulatorRequest,
  type SandboxEnv,
} from "#sandbox/index.ts";

/* The simulated platforms and webhook receivers without the service, for `npm run sandbox`. Never deployed. */

export const PlatformSimulator = definePlatformSimulator();
export const WebhookReceiver = defineWebhookReceiver();

export default { fetch: handleSimulatorRequest() } satisfies ExportedHandler<SandboxEnv>;
