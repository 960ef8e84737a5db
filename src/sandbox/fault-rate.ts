import { setFaultHook } from "#core/fault-point.ts";
import type { SandboxEnv } from "./env.ts";

let planted = false;

/** Lets every named fault point fail with the probability FAULT_RATE (0 to 1): what the crash harness runs the service under. */
export function plantFaultPoints(env: SandboxEnv): void {
  const rate = Number(env["FAULT_RATE"] ?? 0);
  if (planted || !(rate > 0)) {
    return;
  }
  planted = true;
  setFaultHook((point) => {
    if (Math.random() < rate) {
      throw new Error(`fault point ${point}`);
    }
  });
}
