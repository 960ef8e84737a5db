/** The permissions that a credential can have. SPEC.md lists which operation needs which. */
export const SCOPES = [
  "accounts:read",
  "accounts:write",
  "posts:read",
  "posts:write",
  "workspaces:read",
  "workspaces:write",
] as const;

export type Scope = (typeof SCOPES)[number];
