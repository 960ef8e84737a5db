import type { Env } from "./config.ts";
import type { Outbound } from "./context.ts";
import { DatabaseWatch, definePublisher } from "#publisher/index.ts";
import { defineWebhookSender } from "#sender/index.ts";
import { createService } from "./service.ts";

const outbound: Outbound = {
  platformFetch: (request) => fetch(request),
  publicFetch: (request) => fetch(request),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};
const service = createService(() => outbound);

export { DatabaseWatch };
export const PostPublisher = definePublisher(() => outbound);
export const WebhookSender = defineWebhookSender(() => outbound);

export default {
  fetch: (request, env, ctx) => service.fetch(request, env, ctx),
  scheduled: (_event, env, ctx) => service.scheduled(env, ctx),
} satisfies ExportedHandler<Env>;
