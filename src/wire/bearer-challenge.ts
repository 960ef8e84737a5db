import type { Scope } from "#core/scope.ts";

/** The metadata URL by resource. There is one for the API and one for the MCP server, so the map stays small. */
const metadataUrls = new Map<string, string>();

/**
 * The URL of a resource's metadata. The path of the resource follows the well-known part (RFC 9728, protected resource
 * metadata, section 3.1).
 */
function resourceMetadataUrl(resource: string): string {
  const known = metadataUrls.get(resource);
  if (known !== undefined) {
    return known;
  }
  const { origin, pathname } = new URL(resource);
  const url = `${origin}/.well-known/oauth-protected-resource${pathname}`;
  metadataUrls.set(resource, url);
  return url;
}

/**
 * The `WWW-Authenticate` header for a refused credential. It says where to get one for this resource, and which scopes
 * to request.
 */
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
