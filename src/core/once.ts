/**
 * Loads a module at its first use. It stores the loaded module and not the promise, because a request in workerd must not wait for a
 * promise that another request of the same isolate started.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined;
  return async () => (loaded ??= await load());
}
