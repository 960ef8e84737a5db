interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
}

/** Returns the methods of a path; undefined if no route has the path. */
export type MethodLookup = (path: string) => ReadonlySet<string> | undefined;

const PARAMETER = /:[^/]+/g;

/**
 * Finds the methods of a path. As in OpenAPI, a literal path precedes a path with parameters: GET `/posts/preview` is a
 * wrong method, not a post.
 */
export function createMethodLookup(routes: readonly RegisteredRoute[]): MethodLookup {
  const table = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    if (method !== "ALL") {
      table.set(path, (table.get(path) ?? new Set()).add(method));
    }
  }
  const patterns = [...table]
    .filter(([path]) => path.includes(":"))
    .map(([path, methods]) => ({ pattern: new RegExp(`^${path.replace(PARAMETER, "[^/]+")}$`), methods }));
  return (path) => table.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.methods;
}

/** The value of the `Allow` header. HEAD is allowed where GET is, and OPTIONS everywhere. */
export function allowHeader(methods: ReadonlySet<string>): string {
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted().join(", ");
}
