import { setFailpointHook } from "#core/failpoint.ts";
import type { SandboxEnv } from "./env.ts";

let enabled = false;

/**
 * Makes failpoints throw, for the crash tests: every one, or the one in FAULT_POINT, with the probability FAULT_RATE (0
 * to 1).
 */
export function enableFailpoints(env: SandboxEnv): void {
  const rate = Number(env["FAULT_RATE"] ?? 0);
  const onlyName = env["FAULT_POINT"];
  if (enabled || !(rate > 0)) {
    return;
  }
  enabled = true;
  setFailpointHook((name) => {
    if ((onlyName === undefined || onlyName === name) && Math.random() < rate) {
      throw new Error(`failpoint ${name}`);
    }
  });
}
