import type { SandboxEnv } from "#sandbox/index.ts";

/** Where the process of the platforms takes what is meant for one of them. */
export const PLATFORM_PATH = "/soak/platform";
const ADDRESS = "x-soak-address";

/** A call to a platform as the other process is to make it. */
export function carry(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete(ADDRESS);
  return new Request(request.headers.get(ADDRESS) ?? "", new Request(request, { headers, redirect: "manual" }));
}

/** The same over the client; the body is passed on as it comes. */
function send(origin: string, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(ADDRESS, request.url);
  return fetch(new Request(origin + PLATFORM_PATH, new Request(request, { headers })));
}

/** Cast, because only what a call to a platform uses is there: a name, and `fetch` of what has that name. */
function farNamespace(origin: string): DurableObjectNamespace {
  const namespace: unknown = {
    idFromName: (name: string) => name,
    get: () => ({ fetch: (request: Request) => send(origin, request) }),
  };
  return namespace as DurableObjectNamespace;
}

/** The environment with the platforms in the process at `SOAK_PLATFORMS`; without that setting they stay here. */
export function withFarSimulators(env: SandboxEnv): SandboxEnv {
  const origin = env["SOAK_PLATFORMS"];
  return typeof origin === "string" ? { ...env, SIMULATORS: farNamespace(origin) } : env;
}
