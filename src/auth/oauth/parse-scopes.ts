import type { Scope } from "#core/scope.ts";
import { sortScopes } from "#auth/parse-inputs.ts";

/** The scopes of a request without a `scope` parameter. */
const DEFAULT_SCOPES: readonly Scope[] = ["accounts:read", "posts:read", "workspaces:read"];

/** The scopes of a `scope` parameter; unknown ones are ignored (RFC 6749 3.3), null when none remain. */
export function parseScopeParameter(parameter: string | undefined): readonly Scope[] | null {
  if (parameter === undefined) {
    return DEFAULT_SCOPES;
  }
  const scopes = sortScopes(parameter.split(" "));
  return scopes.length === 0 ? null : scopes;
}
