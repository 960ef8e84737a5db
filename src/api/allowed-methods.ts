interface RegisteredRoute {
  readonly method: string;
  readonly path: string;
}

/** The methods of a path; undefined for a path that does not exist. */
export type MethodLookup = (path: string) => ReadonlySet<string> | undefined;

const PARAMETER = /:[^/]+/g;

/** A literal path has priority over a path with parameters, as in OpenAPI: GET of `/posts/preview` is a wrong method, not a post. */
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

/** The value of `Allow`: HEAD is available with GET, and OPTIONS for every path. */
export function allowHeader(methods: ReadonlySet<string>): string {
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted().join(", ");
}
