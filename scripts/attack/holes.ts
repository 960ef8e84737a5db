import type { Mutant } from "../crash/mutants.ts";

/** A check that a copy of the source code lacks, and the topic whose attacks must find that. */
export interface Hole extends Pick<Mutant, "name" | "what" | "changes"> {
  readonly topic: string;
}

export const HOLES: readonly Hole[] = [
  {
    name: "no-scope-check",
    what: "a credential may do what its scopes do not allow",
    topic: "scopes",
    changes: [
      {
        file: "src/api/guard.ts",
        from: "if (scope !== null && !actor.scopes.includes(scope)) {",
        to: "if (scope !== null && actor.scopes.length === 0) {",
      },
    ],
  },
  {
    name: "no-owner-check",
    what: "a post is found by its id alone, whoever owns it",
    topic: "tenants",
    changes: [
      {
        file: "src/posting/calendar/store-posts-by-id.ts",
        from: `"p.user_id = ?1 AND p.workspace_id = ?2"`,
        to: `"?1 IS NOT NULL AND ?2 IS NOT NULL"`,
      },
    ],
  },
  {
    name: "no-browser-check",
    what: "the callback of a login demands a cookie, but not that of the browser that started it",
    topic: "connect",
    changes: [
      {
        file: "src/accounts/connect/store-connect-states.ts",
        from: "(?5 IS NULL OR s.browser_hash = ?5)",
        to: "(?5 IS NULL OR s.browser_hash IS NOT NULL)",
      },
    ],
  },
  {
    name: "no-consent-token",
    what: "consent is accepted without the token of the page",
    topic: "authorize",
    changes: [
      {
        file: "src/dashboard/oauth/authorize.tsx",
        from: `if (form.text("csrf_token") !== (await csrfToken(step.session, step.query))) {`,
        to: `if (form.text("csrf_token") === (await csrfToken(step.query, step.session))) {`,
      },
    ],
  },
  {
    name: "quick-unknown-address",
    what: "signing in with an unknown address answers without hashing the password",
    topic: "sign-in",
    changes: [
      {
        file: "src/auth/users/password-hash.ts",
        from: `  const [scheme, N, r, p, salt, key] = (stored ?? DUMMY_HASH).split("$");`,
        to: `  if (stored === null) {
    return { matches: false, outdated: false };
  }
  const [scheme, N, r, p, salt, key] = (stored ?? DUMMY_HASH).split("$");`,
      },
    ],
  },
];
