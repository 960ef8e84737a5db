import { env } from "cloudflare:workers";
import { userAgent } from "#core/user-agent.ts";
import { sandboxOutbound } from "#sandbox/index.ts";

/** Calls a platform as an adapter's client does; the body is read completely so that no stream stays open. */
export async function callPlatform(url: string, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  if (!headers.has("user-agent")) {
    headers.set("user-agent", userAgent(env.ORIGIN));
  }
  const request = new Request(url, { redirect: "manual", ...init, headers });
  const response = await sandboxOutbound(env).platformFetch(request);
  const bytes = await response.arrayBuffer();
  return new Response(bytes.byteLength === 0 ? null : bytes, response);
}

/** The authorization code in a platform's redirect; empty when there is none. */
export function codeFromRedirect(response: Response): string {
  return new URL(response.headers.get("location") ?? "").searchParams.get("code") ?? "";
}
