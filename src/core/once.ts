/**
 * Loads a module with its first use. The module is kept and not the promise: what one request waits for, another one of the
 * same isolate must not.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined;
  return async () => (loaded ??= await load());
}
