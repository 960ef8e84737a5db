import type { Scope } from "#core/scope.ts";

/** RFC 9728 (protected resource metadata) section 3.1: the path of the resource follows the well-known part. */
function resourceMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname}`;
}

/** The header `WWW-Authenticate` of a refused credential: where to learn how to get one for this resource, and which scopes to ask for. */
export function bearerChallenge(
  resource: string,
  scopes: readonly Scope[],
  error?: "invalid_token" | "insufficient_scope",
): string {
  const parts = [
    `resource_metadata="${resourceMetadataUrl(resource)}"`,
    `scope="${scopes.join(" ")}"`,
    ...(error ? [`error="${error}"`] : []),
  ];
  return `Bearer ${parts.join(", ")}`;
}
