import type { Platform } from "#core/platform.ts";
import type { OpenFault } from "./simulator-control.ts";
import { requireLoopback, type SandboxEnv } from "./env.ts";

/*
 * Runs the simulators in their own worker (`npm run sandbox`, src/index.simulators.ts). It continues when the service is killed, because a
 * platform finishes the requests that it has received. Both sides of the HTTP calls between the two are here.
 */

const CALL_PATH = "/calls";
/**
 * The header with the address of the call. The address is not in the path, because development servers log paths, and
 * some addresses contain tokens.
 */
const CALL_URL_HEADER = "x-simulated-url";
/**
 * The header with the time when the call reached the simulators' worker. Waiting there is not a delay of the service.
 */
const RECEIVED_AT_HEADER = "x-simulated-received-at";

/** The origin of the simulators' worker (`SIMULATORS_ORIGIN`); null if the simulators run in the service's process. */
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

/** The call to a platform inside a request to the simulators' worker; null for any other request. */
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
    // The whole body is read first, so that the call no longer depends on its caller.
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
