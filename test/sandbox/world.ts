import { env } from "cloudflare:workers";
import { sandboxWorld } from "#sandbox/index.ts";

/** A call to a platform as an adapter's wire makes it; read to the end, so that nothing stays under way. */
export async function call(url: string, init?: RequestInit): Promise<Response> {
  const answer = await sandboxWorld(env).platformFetch(new Request(url, { redirect: "manual", ...init }));
  const bytes = await answer.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, answer);
}
