/**
 * Loads a module at its first use. It keeps the module and not the promise: in workerd, a request must not wait for a
 * promise of another request.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: T | undefined;
  return async () => (loaded ??= await load());
}
