/**
 * A named place where the crash tests may kill or fail the process. The production build defines `FAULT_POINTS` as
 * false: what is left of this function is empty, and the bundler drops its calls with their names.
 */
declare const FAULT_POINTS: boolean | undefined;

type FaultHook = (point: string) => void | Promise<void>;
let hook: FaultHook | undefined;

export function setFaultHook(next: FaultHook | undefined): void {
  hook = next;
}

/** Not `async`, or its calls could not be dropped. */
export function faultPoint(point: string): void | Promise<void> {
  if (typeof FAULT_POINTS !== "undefined" && FAULT_POINTS) {
    return hook?.(point);
  }
}
