import { DatabaseWatch, definePublisher } from "#publisher/index.ts";
import {
  definePlatformSimulator,
  defineWebhookReceiver,
  enableFailpoints,
  locationOf,
  type SandboxEnv,
  sandboxRoutes,
  sandboxOutbound,
  withD1Counter,
  withSandboxCredentials,
  withSlowKv,
} from "#sandbox/index.ts";
import { isFromOurPages } from "#dashboard/request/require-same-origin.ts";
import { readSession } from "#dashboard/request/session-cookie.ts";
import { defineWebhookSender } from "#sender/index.ts";
import { createService } from "./service.ts";

const service = createService(sandboxOutbound);
const sandbox = sandboxRoutes((env, ctx) => service.scheduled(withSandboxCredentials(env), ctx), {
  readSession,
  isFromOurPages,
});

/** Publishes posts in the sandbox, with the app credentials of the simulated platforms. */
export class PostPublisher extends definePublisher(sandboxOutbound) {
  constructor(ctx: DurableObjectState, env: SandboxEnv) {
    enableFailpoints(env);
    super(ctx, withSlowKv(withD1Counter(withSandboxCredentials(env)), "objects"));
  }
}

/** Sends webhooks in the sandbox, with the app credentials of the simulated platforms. */
export class WebhookSender extends defineWebhookSender(sandboxOutbound) {
  constructor(ctx: DurableObjectState, env: SandboxEnv) {
    enableFailpoints(env);
    super(ctx, withD1Counter(withSandboxCredentials(env)));
  }
}

export { DatabaseWatch };
export const PlatformSimulator = definePlatformSimulator();
export const WebhookReceiver = defineWebhookReceiver();

export default {
  fetch(request, env, ctx) {
    enableFailpoints(env);
    const sandboxEnv = withD1Counter(withSandboxCredentials(env));
    return new URL(request.url).pathname.startsWith("/sandbox/")
      ? sandbox.fetch(request, sandboxEnv, ctx)
      : service.fetch(request, withSlowKv(sandboxEnv, locationOf(request)), ctx);
  },
  scheduled: (_event, env, ctx) => service.scheduled(withSandboxCredentials(env), ctx),
} satisfies ExportedHandler<SandboxEnv>;
