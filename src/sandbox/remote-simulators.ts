import type { Platform } from "#core/platform.ts";
import type { OpenFault } from "./simulator-control.ts";
import { requireLoopback, type SandboxEnv } from "./env.ts";

/*
 * Simulators in a worker of their own (`npm run sandbox`, src/index.simulators.ts), which goes on when the service is killed:
 * a platform finishes the requests that it has received. Both sides of the HTTP calls between the two are here.
 */

const CALL_PATH = "/calls/";

/** Where the simulators run when they are not in this process (`SIMULATORS_ORIGIN`); null when they are. */
export function simulatorsOrigin(env: SandboxEnv): string | null {
  const origin = env["SIMULATORS_ORIGIN"];
  if (typeof origin !== "string" || origin === "") {
    return null;
  }
  requireLoopback("SIMULATORS_ORIGIN", origin);
  return origin;
}

/** Sends a call to a platform to the simulators' worker. */
export function forwardCall(origin: string, request: Request): Promise<Response> {
  const { host, pathname, search } = new URL(request.url);
  return fetch(new Request(`${origin}${CALL_PATH}${host}${pathname}${search}`, request));
}

/** The call to a platform that a request to the simulators' worker stands for; null for any other request. */
export async function readForwardedCall(request: Request): Promise<Request | null> {
  const { pathname, search } = new URL(request.url);
  if (!pathname.startsWith(CALL_PATH)) {
    return null;
  }
  return new Request(`https://${pathname.slice(CALL_PATH.length)}${search}`, {
    method: request.method,
    headers: request.headers,
    redirect: "manual",
    // Read here: what a platform has received does not depend on its caller any more.
    ...(request.body && { body: await request.arrayBuffer() }),
  });
}

export async function fetchOpenFaults(origin: string, platform: Platform): Promise<OpenFault[]> {
  const response = await fetch(`${origin}/sandbox/platforms/${platform}/faults`);
  const { faults } = await response.json<{ faults: OpenFault[] }>();
  return faults;
}
