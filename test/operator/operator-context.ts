import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Env } from "#config.ts";
import type { Facts, PlatformCheck } from "#operator/facts.ts";
import { serveOperator } from "#operator/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";

export const OPERATOR_KEY = env.OPERATOR_KEY ?? "";

/** The sandbox's bindings with other settings; an empty one counts as left out. */
export const envWith = (settings: Readonly<Record<string, unknown>> = {}): Env => ({
  ...withSandboxCredentials(env),
  ...settings,
});

/** A request of the operator to a service that is set up like this. */
export async function ask(
  method: "GET" | "POST",
  path: string,
  { key = OPERATOR_KEY, bindings = envWith() }: { readonly key?: string | null; readonly bindings?: Env } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const request = new Request(`${env.ORIGIN}${path}`, {
    method,
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
  });
  const response = await serveOperator(request, bindings, createExecutionContext(), sandboxOutbound);
  return { status: response.status, text: await response.text() };
}

export const askFacts = async (settings: Readonly<Record<string, unknown>> = {}): Promise<Facts> =>
  JSON.parse((await ask("GET", "/operator/facts", { bindings: envWith(settings) })).text) as Facts;

export async function askChecks(settings: Readonly<Record<string, unknown>> = {}): Promise<readonly PlatformCheck[]> {
  const { text } = await ask("POST", "/operator/platform-checks", { bindings: envWith(settings) });
  return (JSON.parse(text) as { checks: PlatformCheck[] }).checks;
}
