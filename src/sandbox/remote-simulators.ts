import type { Platform } from "#core/platform.ts";
import type { OpenFault } from "./simulator-control.ts";
import { requireLoopback, type SandboxEnv } from "./env.ts";

/*
 * Simulators in a worker of their own (`npm run sandbox`, src/index.simulators.ts), which goes on when the service is killed:
 * a platform finishes the requests that it has received. Both sides of the HTTP calls between the two are here.
 */

const CALL_PATH = "/calls";
/** The address of the call; not in the path, because logs of development servers have paths, and some addresses contain tokens. */
const CALL_URL_HEADER = "x-simulated-url";
/** When the call reached the simulators' worker; what it waits for there is no delay of the service. */
const RECEIVED_AT_HEADER = "x-simulated-received-at";

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
  const forwarded = new Request(`${origin}${CALL_PATH}`, request);
  forwarded.headers.set(CALL_URL_HEADER, request.url);
  return fetch(forwarded);
}

/** The call to a platform that a request to the simulators' worker stands for; null for any other request. */
export async function readForwardedCall(request: Request): Promise<Request | null> {
  const url = request.headers.get(CALL_URL_HEADER);
  if (new URL(request.url).pathname !== CALL_PATH || url === null || !URL.canParse(url)) {
    return null;
  }
  const headers = new Headers(request.headers);
  headers.delete(CALL_URL_HEADER);
  headers.set(RECEIVED_AT_HEADER, String(Date.now()));
  return new Request(url, {
    method: request.method,
    headers,
    redirect: "manual",
    // Read here: what a platform has received does not depend on its caller any more.
    ...(request.body && { body: await request.arrayBuffer() }),
  });
}

/** When a forwarded call reached the simulators' worker; null for a call in one process. */
export function receivedAtOf({ headers }: Request): number | null {
  const at = headers.get(RECEIVED_AT_HEADER);
  return at === null ? null : Number(at);
}

export async function fetchOpenFaults(origin: string, platform: Platform): Promise<OpenFault[]> {
  const response = await fetch(`${origin}/sandbox/platforms/${platform}/faults`);
  const { faults } = await response.json<{ faults: OpenFault[] }>();
  return faults;
}
