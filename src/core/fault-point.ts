/**
 * A named place where the crash tests may kill or fail the process. The production build defines `FAULT_POINTS` as
 * false, so that the call and the hook behind it vanish from the bundle.
 */
declare const FAULT_POINTS: boolean | undefined;

type FaultHook = (point: string) => void | Promise<void>;
let hook: FaultHook | undefined;

export function setFaultHook(next: FaultHook | undefined): void {
  hook = next;
}

export async function faultPoint(point: string): Promise<void> {
  if (typeof FAULT_POINTS !== "undefined" && FAULT_POINTS) {
    await hook?.(point);
  }
}
