import type { Outbound } from "#context.ts";
import type { Env } from "#config.ts";
import type { Platform } from "#core/platform.ts";
import type { SimulatorControl } from "./control.ts";
import type { SandboxEnv } from "./env.ts";
import { isLost } from "./lost.ts";
import { simulatorAt } from "./registry.ts";
import { fetchPublic } from "./sim.ts";

/** The object of a platform. Cast, because the generated type of its calls is too deep for the compiler (JSON inside JSON). */
export function objectOf(env: SandboxEnv, platform: Platform): SimulatorControl & Pick<Fetcher, "fetch"> {
  const stub: unknown = env.SIMULATORS.get(env.SIMULATORS.idFromName(platform));
  return stub as SimulatorControl & Pick<Fetcher, "fetch">;
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = () => reject(signal.reason as Error);
  if (signal.aborted) {
    give();
  } else {
    signal.addEventListener("abort", give, { once: true });
  }
  return promise;
}

/** A call to a platform. Throws as `fetch` does: no such host, connection lost, the caller's time is up. */
export async function callPlatform(env: SandboxEnv, request: Request): Promise<Response> {
  const { hostname } = new URL(request.url);
  const simulator = simulatorAt(hostname);
  if (!simulator) {
    throw new TypeError(`no simulator answers for ${hostname}`);
  }
  // The caller's signal stays here: a platform does not learn that nobody waits for its answer any more.
  const onward = new Request(request, { signal: null, redirect: "manual" });
  const answer = await Promise.race([objectOf(env, simulator.platform).fetch(onward), aborted(request.signal)]);
  if (isLost(answer)) {
    throw new TypeError("network connection lost");
  }
  return answer;
}

/** Where a person's browser finds an address of a platform. */
export function browserUrl(origin: string, url: URL): URL {
  return new URL(`${origin}/sandbox/${url.host}${url.pathname}${url.search}${url.hash}`);
}

/** The world in which every platform is on this machine. */
export function sandboxWorld(env: Env): Outbound {
  const sandbox = env as SandboxEnv;
  return {
    platformFetch: (request) => callPlatform(sandbox, request),
    publicFetch: (request) => fetchPublic(env.ORIGIN, request),
    browserUrl: (url) => browserUrl(env.ORIGIN, url),
    trustedMediaOrigin: env.ORIGIN,
  };
}
