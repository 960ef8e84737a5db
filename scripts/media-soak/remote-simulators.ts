import type { SandboxEnv } from "#sandbox/index.ts";

/** Path at which the platforms' process accepts calls to any platform. */
export const PLATFORM_PATH = "/soak/platform";
const TARGET_URL_HEADER = "x-soak-address";

/** Restores the original platform call in the receiving process. */
export function toPlatformRequest(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.delete(TARGET_URL_HEADER);
  return new Request(
    request.headers.get(TARGET_URL_HEADER) ?? "",
    new Request(request, { headers, redirect: "manual" }),
  );
}

/** Forwards a platform call to the other process; the body is streamed. */
function sendToSimulators(origin: string, request: Request): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set(TARGET_URL_HEADER, request.url);
  return fetch(new Request(origin + PLATFORM_PATH, new Request(request, { headers })));
}

/** Cast, because it implements only what platform calls use: `idFromName`, and `get` with `fetch`. */
function remoteNamespace(origin: string): DurableObjectNamespace {
  const namespace: unknown = {
    idFromName: (name: string) => name,
    get: () => ({ fetch: (request: Request) => sendToSimulators(origin, request) }),
  };
  return namespace as DurableObjectNamespace;
}

/** Sends platform calls to the process at `SOAK_PLATFORMS`; without that setting the simulators run in this process. */
export function withRemoteSimulators(env: SandboxEnv): SandboxEnv {
  const origin = env["SOAK_PLATFORMS"];
  return typeof origin === "string" ? { ...env, SIMULATORS: remoteNamespace(origin) } : env;
}
