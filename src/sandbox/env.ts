import type { Env } from "#config.ts";
import { PLATFORMS } from "#core/platform.ts";

/** What the sandbox has beside the bindings of production. */
export interface SandboxEnv extends Env {
  readonly SIMULATORS: DurableObjectNamespace;
  readonly SANDBOX_BLOBS: R2Bucket;
}

/** The client credentials a simulator expects, as an operator would have entered them. */
export function appOf(platform: string): { readonly clientId: string; readonly clientSecret: string } {
  return { clientId: `sandbox-${platform}`, clientSecret: `sandbox-${platform}-secret` };
}

/** The environment with the app credentials of every platform; what is set already stays. */
export function withSandboxApps<E extends Env>(env: E): E {
  const credentials: Record<string, string> = {};
  for (const platform of PLATFORMS) {
    const app = appOf(platform);
    credentials[`${platform.toUpperCase()}_CLIENT_ID`] = app.clientId;
    credentials[`${platform.toUpperCase()}_CLIENT_SECRET`] = app.clientSecret;
  }
  return { ...credentials, ...env };
}
