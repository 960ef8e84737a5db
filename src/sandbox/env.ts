import type { Env } from "#config.ts";
import { PLATFORMS } from "#core/platform.ts";
import { findSimulator } from "./registry.ts";

/** The bindings of production and the additional ones of the sandbox. */
export interface SandboxEnv extends Env {
  readonly SIMULATORS: DurableObjectNamespace;
  readonly RECEIVERS: DurableObjectNamespace;
  readonly SANDBOX_BLOBS: R2Bucket;
}

/** The client credentials that a simulator expects, as an operator would enter them. */
export function appCredentials(platform: string): { readonly clientId: string; readonly clientSecret: string } {
  return { clientId: `sandbox-${platform}`, clientSecret: `sandbox-${platform}-secret` };
}

const LOOPBACK_HOST = /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Refuses to run where others can reach the sandbox: its credentials and keys are public, and anybody can sign in. */
export function requireLoopback(variable: string, origin: string): void {
  if (!URL.canParse(origin) || !LOOPBACK_HOST.test(new URL(origin).hostname)) {
    throw new Error(
      `the sandbox only runs on this machine: set ${variable} to a loopback URL like http://localhost:8787`,
    );
  }
}

/**
 * The bindings with credentials. An isolate has one bindings object for its whole life, so all callers get the same
 * result.
 */
const withCredentials = new WeakMap<Env, Env>();

/** Adds app credentials and the operator's settings for every platform. Variables that are already set stay. */
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
