import { setFailpointHook } from "#core/failpoint.ts";
import type { SandboxEnv } from "./env.ts";

let planted = false;

/**
 * Lets every named fault point, or FAULT_POINT alone, fail with the probability FAULT_RATE (0 to 1): what the crash harness
 * runs the service under.
 */
export function plantFaultPoints(env: SandboxEnv): void {
  const rate = Number(env["FAULT_RATE"] ?? 0);
  const only = env["FAULT_POINT"];
  if (planted || !(rate > 0)) {
    return;
  }
  planted = true;
  setFailpointHook((point) => {
    if ((only === undefined || only === point) && Math.random() < rate) {
      throw new Error(`fault point ${point}`);
    }
  });
}
