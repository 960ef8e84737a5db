/**
 * Marks a named place at which crash tests kill the process or make it fail. The production build defines `FAILPOINTS`
 * as false. The function is then empty, and the bundler removes its calls and names.
 */
declare const FAILPOINTS: boolean | undefined;

type FailpointHook = (point: string) => void | Promise<void>;
let hook: FailpointHook | undefined;

export function setFailpointHook(next: FailpointHook | undefined): void {
  hook = next;
}

/**
 * Runs a crash test's failure at this place. It is not `async`, because the bundler cannot remove calls of an async
 * function.
 */
export function failpoint(point: string): void | Promise<void> {
  if (typeof FAILPOINTS !== "undefined" && FAILPOINTS) {
    return hook?.(point);
  }
}
