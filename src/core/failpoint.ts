/**
 * A named place where the crash tests may kill or fail the process. The production build defines `FAILPOINTS` as
 * false: what is left of this function is empty, and the bundler drops its calls with their names.
 */
declare const FAILPOINTS: boolean | undefined;

type FailpointHook = (point: string) => void | Promise<void>;
let hook: FailpointHook | undefined;

export function setFailpointHook(next: FailpointHook | undefined): void {
  hook = next;
}

/** Not `async`, or its calls could not be dropped. */
export function failpoint(point: string): void | Promise<void> {
  if (typeof FAILPOINTS !== "undefined" && FAILPOINTS) {
    return hook?.(point);
  }
}
