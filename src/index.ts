import { DurableObject } from "cloudflare:workers";
export class PostPublisher extends DurableObject {}
export class PlatformSimulator extends DurableObject {}
export default { fetch: () => new Response("ok") };
