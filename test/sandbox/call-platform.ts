import { env } from "cloudflare:workers";
import { hmacSha256Hex } from "#core/encoding.ts";
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

/** The same with the proof of the app's secret for the token in the header; a proof in the URL is kept, an empty one removed. */
export async function callWithProof(appSecret: string, url: string, init?: RequestInit): Promise<Response> {
  const token = new Headers(init?.headers).get("authorization")?.replace("Bearer ", "");
  const proven = new URL(url);
  if (token !== undefined && !proven.searchParams.has("appsecret_proof")) {
    proven.searchParams.set("appsecret_proof", await hmacSha256Hex(appSecret, token));
  }
  if (proven.searchParams.get("appsecret_proof") === "") {
    proven.searchParams.delete("appsecret_proof");
  }
  return callPlatform(proven.href, init);
}
