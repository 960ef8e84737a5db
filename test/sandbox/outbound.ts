import { env } from "cloudflare:workers";
import { sandboxWorld } from "#sandbox/index.ts";

/** A call to a platform as an adapter's client makes it; read to the end, so that nothing stays under way. */
export async function call(url: string, init?: RequestInit): Promise<Response> {
  const answer = await sandboxWorld(env).platformFetch(new Request(url, { redirect: "manual", ...init }));
  const bytes = await answer.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, answer);
}

/** The code with which a platform sends the browser back; empty when it brought none. */
export function codeIn(answer: Response): string {
  return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
}
