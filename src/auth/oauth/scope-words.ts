import type { Scope } from "#core/scope.ts";
import { orderScopes } from "#auth/inputs.ts";

/** What a client gets that asks for nothing in particular. */
const DEFAULT_SCOPES: readonly Scope[] = ["accounts:read", "posts:read", "workspaces:read"];

/** The scopes of a `scope` parameter; words we do not know are dropped (RFC 6749 3.3), null when none remain. */
export function readScopes(parameter: string | undefined): readonly Scope[] | null {
  if (parameter === undefined) {
    return DEFAULT_SCOPES;
  }
  const scopes = orderScopes(parameter.split(" "));
  return scopes.length === 0 ? null : scopes;
}
