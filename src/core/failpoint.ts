/**
 * A named place where the crash tests may kill the process or make it fail. The production build defines `FAILPOINTS` as false: the
 * function is then empty, and the bundler removes its calls and their names.
 */
declare const FAILPOINTS: boolean | undefined;

type FailpointHook = (point: string) => void | Promise<void>;
let hook: FailpointHook | undefined;

export function setFailpointHook(next: FailpointHook | undefined): void {
  hook = next;
}

/** Not `async`, because the bundler cannot remove calls of an async function. */
export function failpoint(point: string): void | Promise<void> {
  if (typeof FAILPOINTS !== "undefined" && FAILPOINTS) {
    return hook?.(point);
  }
}
