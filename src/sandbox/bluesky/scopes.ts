/* Permissions (section 1.6; W specs/permission; oauth-scopes). */

const POST_COLLECTION = "app.bsky.feed.post";
const RESOURCES = new Set(["repo", "blob", "rpc", "account", "identity"]);
const PLAIN_SCOPES = new Set(["atproto", "transition:generic", "transition:email", "transition:chat.bsky"]);
const REPO_ACTIONS = ["create", "update", "delete"] as const;

/** What each permission set contains: no permission for blobs or uploadBlob. */
const PERMISSION_SETS: Readonly<Record<string, readonly string[]>> = {
  "app.bsky.authCreatePosts": [`repo:${POST_COLLECTION}?action=create`],
};

interface ParsedScope {
  readonly resource: string;
  readonly positional: string | null;
  readonly params: URLSearchParams;
}

function parseScope(scope: string): ParsedScope {
  const [path = "", query = ""] = scope.split("?", 2);
  const colon = path.indexOf(":");
  return {
    resource: colon === -1 ? path : path.slice(0, colon),
    positional: colon === -1 ? null : path.slice(colon + 1),
    params: new URLSearchParams(query),
  };
}

/** Expands the sets among granted scopes, and silently drops unknown strings. */
export function expandScopes(scopes: readonly string[]): readonly string[] {
  const granted = scopes.flatMap((scope) => {
    const { resource, positional } = parseScope(scope);
    if (resource === "include") {
      return PERMISSION_SETS[positional ?? ""] ?? [];
    }
    return PLAIN_SCOPES.has(scope) || RESOURCES.has(resource) ? [scope] : [];
  });
  return [...new Set(granted)];
}

const valuesOf = ({ positional, params }: ParsedScope, name: string): readonly string[] =>
  positional === null ? params.getAll(name) : [positional];

/** Whether a content type matches a pattern such as `image/*`. */
export function matchesMimeType(pattern: string, mimeType: string): boolean {
  return (
    pattern === "*/*" || pattern === mimeType || (pattern.endsWith("/*") && mimeType.startsWith(pattern.slice(0, -1)))
  );
}

export interface Permission {
  /** The name of the missing permission in the refusal. */
  readonly name: string;
  readonly allows: (scope: ParsedScope) => boolean;
}

export const repoPermission = (collection: string, action: (typeof REPO_ACTIONS)[number]): Permission => ({
  name: `repo:${collection}?action=${action}`,
  allows(scope) {
    const actions = scope.params.getAll("action");
    return (
      scope.resource === "repo" &&
      valuesOf(scope, "collection").some((one) => one === "*" || one === collection) &&
      (actions.length === 0 ? [...REPO_ACTIONS] : actions).includes(action)
    );
  },
});

export const blobPermission = (mimeType: string): Permission => ({
  name: `blob:${mimeType}`,
  allows: (scope) =>
    scope.resource === "blob" && valuesOf(scope, "accept").some((pattern) => matchesMimeType(pattern, mimeType)),
});

/**
 * The permission to call a method of another service. For a bare DID as audience, only `aud=*` is enough
 * (rpc-permission.ts).
 */
export const rpcPermission = (lxm: string, aud: string): Permission => ({
  name: `rpc:${lxm}?aud=${aud}`,
  allows(scope) {
    const audience = scope.params.get("aud");
    return (
      scope.resource === "rpc" &&
      valuesOf(scope, "lxm").some((one) => one === "*" || one === lxm) &&
      (audience === "*" || (audience === aud && aud.includes("#")))
    );
  },
});

/**
 * Whether the scopes include a permission. They are null for an app password, which may do everything that the sandbox
 * simulates.
 */
export function hasPermission(scopes: readonly string[] | null, permission: Permission): boolean {
  return (
    scopes === null ||
    scopes.includes("transition:generic") ||
    scopes.some((scope) => permission.allows(parseScope(scope)))
  );
}
