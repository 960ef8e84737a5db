import type { Env } from "#config.ts";

/** What the sandbox has beside the bindings of production. */
export interface SandboxEnv extends Env {
  readonly SIMULATORS: DurableObjectNamespace;
  readonly SANDBOX_BLOBS: R2Bucket;
}
