import type { Scope } from "#core/scope.ts";
import { sortScopes } from "#auth/parse-inputs.ts";

/** The scopes if a request has no `scope` parameter. */
const DEFAULT_SCOPES: readonly Scope[] = ["accounts:read", "posts:read", "workspaces:read"];

/** Parses a `scope` parameter. Unknown scopes are ignored (RFC 6749 3.3); null if no known one remains. */
export function parseScopeParameter(parameter: string | undefined): readonly Scope[] | null {
  if (parameter === undefined) {
    return DEFAULT_SCOPES;
  }
  const scopes = sortScopes(parameter.split(" "));
  return scopes.length === 0 ? null : scopes;
}
