import type { Env } from "#config.ts";
import { PLATFORMS } from "#core/platform.ts";
import { findSimulator } from "./registry.ts";

/** The bindings of production and those of the sandbox. */
export interface SandboxEnv extends Env {
  readonly SIMULATORS: DurableObjectNamespace;
  readonly RECEIVERS: DurableObjectNamespace;
  readonly SANDBOX_BLOBS: R2Bucket;
}

/** The client credentials a simulator expects, as an operator would have entered them. */
export function appCredentials(platform: string): { readonly clientId: string; readonly clientSecret: string } {
  return { clientId: `sandbox-${platform}`, clientSecret: `sandbox-${platform}-secret` };
}

const LOOPBACK_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The sandbox publishes its credentials and keys, and everybody who reaches it can sign in: it must not run where others can reach it. */
export function requireLoopback(variable: string, origin: string): void {
  if (!URL.canParse(origin) || !LOOPBACK_HOST.test(new URL(origin).hostname)) {
    throw new Error(
      `the sandbox only runs on this machine: set ${variable} to a loopback URL like http://localhost:8787`,
    );
  }
}

/** By the bindings, which are one object in the whole life of an isolate: every object of it gets the same. */
const withCredentials = new WeakMap<Env, Env>();

/** Adds app credentials for every platform, with what their operator states; variables that are set already are kept. */
export function withSandboxCredentials<E extends Env>(env: E): E {
  const known = withCredentials.get(env) as E | undefined;
  if (known !== undefined) {
    return known;
  }
  requireLoopback("ORIGIN", env.ORIGIN);
  const credentials: Record<string, string> = {};
  for (const platform of PLATFORMS) {
    const app = appCredentials(platform);
    credentials[`${platform.toUpperCase()}_CLIENT_ID`] = app.clientId;
    credentials[`${platform.toUpperCase()}_CLIENT_SECRET`] = app.clientSecret;
    for (const [name, value] of Object.entries(findSimulator(platform)?.operatorApp?.variables ?? {})) {
      credentials[`${platform.toUpperCase()}_${name}`] = value;
    }
  }
  const added = { ...credentials, ...env };
  withCredentials.set(env, added);
  return added;
}
