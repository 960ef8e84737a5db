import { DurableObject } from "cloudflare:workers";
import { definePublisher } from "#publisher/index.ts";
export const PostPublisher = definePublisher(() => ({ platformFetch: () => Promise.reject(new Error("no")), publicFetch: () => Promise.reject(new Error("no")), browserUrl: (url) => url, trustedMediaOrigin: null }));
export class PlatformSimulator extends DurableObject {}
export default { fetch: () => new Response("ok") };
