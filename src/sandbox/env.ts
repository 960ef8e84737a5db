import type { Env } from "#config.ts";
import { PLATFORMS } from "#core/platform.ts";

/** The bindings of production and those of the sandbox. */
export interface SandboxEnv extends Env {
  readonly SIMULATORS: DurableObjectNamespace;
  readonly SANDBOX_BLOBS: R2Bucket;
}

/** The client credentials a simulator expects, as an operator would have entered them. */
export function appCredentials(platform: string): { readonly clientId: string; readonly clientSecret: string } {
  return { clientId: `sandbox-${platform}`, clientSecret: `sandbox-${platform}-secret` };
}

/** Adds app credentials for every platform; credentials that are set already are kept. */
export function withSandboxCredentials<E extends Env>(env: E): E {
  const credentials: Record<string, string> = {};
  for (const platform of PLATFORMS) {
    const app = appCredentials(platform);
    credentials[`${platform.toUpperCase()}_CLIENT_ID`] = app.clientId;
    credentials[`${platform.toUpperCase()}_CLIENT_SECRET`] = app.clientSecret;
  }
  return { ...credentials, ...env };
}
