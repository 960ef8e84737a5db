interface KnownRoute {
  readonly method: string;
  readonly path: string;
}

/** Which methods a path knows; undefined for a path that does not exist. */
export type MethodsOf = (path: string) => ReadonlySet<string> | undefined;

const PARAMETER = /:[^/]+/g;

/** A literal path wins over one with parameters, as the document says: GET of `/posts/preview` is a wrong method, not a post. */
export function methodTable(routes: readonly KnownRoute[]): MethodsOf {
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

/** What `Allow` says: HEAD comes with GET, and preflights are answered everywhere. */
export function allowOf(methods: ReadonlySet<string>): string {
  return [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted().join(", ");
}
