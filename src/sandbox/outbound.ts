import type { Outbound } from "#context.ts";
import type { Env } from "#config.ts";
import type { Platform } from "#core/platform.ts";
import type { OpenFault, SimulatorControl } from "./simulator-control.ts";
import type { SandboxEnv } from "./env.ts";
import { isLostConnection } from "./lost-connection.ts";
import { findSimulatorByHost } from "./registry.ts";
import { fetchOpenFaults, forwardCall, simulatorsOrigin } from "./remote-simulators.ts";
import { SAMPLE_POSTS_FORM } from "./sample-posts-form.ts";
import { fetchPublic } from "./simulator-context.ts";

/**
 * The Durable Object of a platform. The type is cast, because the generated RPC type is too deep for the compiler
 * (nested JSON types).
 */
export function simulatorStub(env: SandboxEnv, platform: Platform): SimulatorControl & Pick<Fetcher, "fetch"> {
  const stub: unknown = env.SIMULATORS.get(env.SIMULATORS.idFromName(platform));
  return stub as SimulatorControl & Pick<Fetcher, "fetch">;
}

/** The injected faults of a platform that still apply, wherever its simulator runs. */
export function readOpenFaults(env: SandboxEnv, platform: Platform): Promise<OpenFault[]> {
  const origin = simulatorsOrigin(env);
  return origin === null ? simulatorStub(env, platform).openFaults() : fetchOpenFaults(origin, platform);
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const rejectWithReason = () => reject(signal.reason as Error);
  if (signal.aborted) {
    rejectWithReason();
  } else {
    signal.addEventListener("abort", rejectWithReason, { once: true });
  }
  return promise;
}

/**
 * Sends a request to a simulated platform. Throws as `fetch` does: for an unknown host, a lost connection and an
 * aborted signal.
 */
export async function callPlatform(env: SandboxEnv, request: Request): Promise<Response> {
  const { hostname } = new URL(request.url);
  const simulator = findSimulatorByHost(hostname);
  if (!simulator) {
    throw new TypeError(`no simulator for the host ${hostname}`);
  }
  // The caller's signal is not passed on, because a real platform completes a request even if the caller has timed out.
  const forwarded = new Request(request, { signal: null, redirect: "manual" });
  const origin = simulatorsOrigin(env);
  const response = await Promise.race([
    origin === null ? simulatorStub(env, simulator.platform).fetch(forwarded) : forwardCall(origin, forwarded),
    rejectOnAbort(request.signal),
  ]);
  if (isLostConnection(response)) {
    throw new TypeError("network connection lost");
  }
  return response;
}

/** The URL that opens a platform's page in a browser of the sandbox. */
export function browserUrl(origin: string, url: URL): URL {
  return new URL(`${origin}/sandbox/${url.host}${url.pathname}${url.search}${url.hash}`);
}

/**
 * Fetches a public address or a receiver of the sandbox. Throws as `fetch` does, also when a receiver drops the
 * connection or does not answer.
 */
async function fetchPublicOrReceiver(origin: string, request: Request): Promise<Response> {
  const response = await Promise.race([fetchPublic(origin, request), rejectOnAbort(request.signal)]);
  if (isLostConnection(response)) {
    throw new TypeError("network connection lost");
  }
  return response;
}

/** Tests read the answers of simulators themselves. */
interface SandboxOutbound extends Outbound {
  platformFetch(request: Request): Promise<Response>;
  publicFetch(request: Request): Promise<Response>;
}

/** Makes outbound fetches reach simulated platforms on the same machine. */
export function sandboxOutbound(env: Env): SandboxOutbound {
  const sandboxEnv = env as SandboxEnv;
  return {
    platformFetch: (request) => callPlatform(sandboxEnv, request),
    publicFetch: (request) => fetchPublicOrReceiver(env.ORIGIN, request),
    browserUrl: (url, login) => {
      const pageUrl = browserUrl(env.ORIGIN, url);
      if (login !== undefined) {
        pageUrl.searchParams.set("login", login);
      }
      return pageUrl;
    },
    trustedMediaOrigin: env.ORIGIN,
    offerToBeginWith: SAMPLE_POSTS_FORM,
  };
}
