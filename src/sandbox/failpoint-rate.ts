import { setFailpointHook } from "#core/failpoint.ts";
import type { SandboxEnv } from "./env.ts";

let enabled = false;

/** For the crash harness: every failpoint, or only the one in FAULT_POINT, throws with the probability FAULT_RATE (0 to 1). */
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
