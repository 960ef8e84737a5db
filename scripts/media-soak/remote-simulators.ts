import type { SandboxEnv } from "#sandbox/index.ts";

/** Where the process of the platforms takes what is meant for one of them. */
export const PLATFORM_PATH = "/soak/platform";
const TARGET_URL_HEADER = "x-soak-address";

/** A call to a platform as the other process is to make it. */
export function toPlatformRequest(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete(TARGET_URL_HEADER);
  return new Request(
    request.headers.get(TARGET_URL_HEADER) ?? "",
    new Request(request, { headers, redirect: "manual" }),
  );
}

/** The same over the client; the body is passed on as it comes. */
function sendToSimulators(origin: string, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(TARGET_URL_HEADER, request.url);
  return fetch(new Request(origin + PLATFORM_PATH, new Request(request, { headers })));
}

/** Cast, because only what a call to a platform uses is there: a name, and `fetch` of what has that name. */
function remoteNamespace(origin: string): DurableObjectNamespace {
  const namespace: unknown = {
    idFromName: (name: string) => name,
    get: () => ({ fetch: (request: Request) => sendToSimulators(origin, request) }),
  };
  return namespace as DurableObjectNamespace;
}

/** The environment with the platforms in the process at `SOAK_PLATFORMS`; without that setting they stay here. */
export function withRemoteSimulators(env: SandboxEnv): SandboxEnv {
  const origin = env["SOAK_PLATFORMS"];
  return typeof origin === "string" ? { ...env, SIMULATORS: remoteNamespace(origin) } : env;
}
