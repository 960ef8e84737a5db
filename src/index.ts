import type { Env } from "./config.ts";
import type { World } from "./context.ts";
import { definePublisher } from "#publisher/index.ts";
import { createService } from "./service.ts";

/** The real network, and nothing between. */
const world: World = {
  platformFetch: (request) => fetch(request),
  publicFetch: (request) => fetch(request),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};
const service = createService(() => world);

export const PostPublisher = definePublisher(() => world);

export default {
  fetch: (request, env, ctx) => service.fetch(request, env, ctx),
  scheduled: (_event, env, ctx) => service.scheduled(env, ctx),
} satisfies ExportedHandler<Env>;
