import type { Scope } from "#core/scope.ts";
import { sortScopes } from "#auth/parse-inputs.ts";

/** The scopes of an authorization request without a `scope` parameter. */
const DEFAULT_SCOPES: readonly Scope[] = ["accounts:read", "posts:read", "workspaces:read"];

/** Parses a `scope` parameter and ignores unknown scopes (RFC 6749 3.3). Null if no known scope remains. */
export function parseScopeParameter(parameter: string | undefined): readonly Scope[] | null {
  if (parameter === undefined) {
    return DEFAULT_SCOPES;
  }
  const scopes = sortScopes(parameter.split(" "));
  return scopes.length === 0 ? null : scopes;
}
