import type { Mutant } from "../crash/mutants.ts";

/** A check that a copy of the source code lacks, and the attack that must find that. */
export interface Hole extends Pick<Mutant, "name" | "what" | "changes"> {
  readonly topic: string;
  /** The name of the attack begins with this. */
  readonly attack: string;
}

export const HOLES: readonly Hole[] = [
  {
    name: "no-scope-check",
    what: "a credential may do what its scopes do not allow",
    topic: "scopes",
    attack: "every operation with a key of every other scope",
    changes: [
      {
        file: "src/api/guard.ts",
        from: "scope === null || actor.scopes.includes(scope)",
        to: "scope === null || actor.scopes.length > 0",
      },
    ],
  },
  {
    name: "any-resource",
    what: "an access token opens the API and the MCP server, whichever its user granted",
    topic: "agents",
    attack: "a token for the API at the MCP server",
    changes: [
      {
        file: "src/auth/bearer/store.ts",
        from: "g.revoked_at IS NULL AND g.resource = ?3",
        to: "g.revoked_at IS NULL AND g.resource <> ?3 || 'x'",
      },
    ],
  },
  {
    name: "no-owner-check",
    what: "a post is found by its id alone, whoever owns it",
    topic: "tenants",
    attack: "another user's ids and tokens",
    changes: [
      {
        file: "src/posts/rows/store-posts-by-id.ts",
        from: `"p.user_id = ?1 AND p.workspace_id = ?2"`,
        to: `"?1 IS NOT NULL AND ?2 IS NOT NULL"`,
      },
    ],
  },
  {
    name: "no-browser-check",
    what: "the callback of a login demands a cookie, but not that of the browser that started it",
    topic: "connect",
    attack: "a stranger's callback",
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
    attack: "consent without the page",
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
    attack: "whether an address has an account",
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
  {
    name: "any-verifier",
    what: "a code is exchanged without the verifier of the app that asked for it",
    topic: "authorize",
    attack: "guesses of a code and of its verifier",
    changes: [
      {
        file: "src/auth/oauth/store.ts",
        from: "client_id = ?2 AND code_challenge = ?3 AND",
        to: "client_id = ?2 AND code_challenge <> ?3 || 'x' AND",
      },
    ],
  },
  {
    name: "any-port-of-our-host",
    what: "any port of the service's own host may be fetched",
    topic: "addresses",
    attack: "media at private addresses",
    changes: [
      {
        file: "src/core/public-address/check-url.ts",
        from: "url.origin === new URL(trustedOrigin).origin",
        to: "url.hostname === new URL(trustedOrigin).hostname",
      },
    ],
  },
  {
    name: "no-pixel-limit",
    what: "pictures may have any number of pixels",
    topic: "pictures",
    attack: "pictures of four thousand megapixels",
    changes: [
      {
        file: "src/media/formats/inspect-file.ts",
        from: `if (inspection.type === "image" && pixels > MAX_IMAGE_MEGAPIXELS * 1e6) {`,
        to: `if (inspection.type === "image" && pixels > Number.MAX_VALUE) {`,
      },
    ],
  },
  {
    name: "no-origin-needed",
    what: "a form without an Origin header is accepted",
    topic: "forms",
    attack: "every form of every page",
    changes: [
      {
        file: "src/dashboard/request/require-same-origin.ts",
        from: "const isOurs = origin ===",
        to: "const isOurs = origin === undefined || origin ===",
      },
    ],
  },
  {
    name: "claimed-address",
    what: "the address of a caller is what X-Forwarded-For claims",
    topic: "requests",
    attack: "another address in X-Forwarded-For",
    changes: [
      {
        file: "src/core/client-address.ts",
        from: `headers.get("cf-connecting-ip");`,
        to: `headers.get("x-forwarded-for") ?? headers.get("cf-connecting-ip");`,
      },
    ],
  },
  {
    name: "no-workspace-limit",
    what: "a user may create any number of workspaces",
    topic: "quotas",
    attack: "more workspaces than the plan has",
    changes: [
      {
        file: "src/workspaces/store.ts",
        from: "WHERE ${used} < ?5",
        to: "WHERE 0 * ${used} < ?5",
      },
    ],
  },
  {
    name: "unread-body-is-our-fault",
    what: "a body that is not JSON is answered as an error of the service",
    topic: "fuzz",
    attack: "bodies that are not what they say",
    changes: [
      {
        file: "src/api/body.ts",
        from: `refuse({ code: "invalid_request", message: "the body is not valid JSON" });`,
        to: `throw new Error("not JSON");`,
      },
    ],
  },
  {
    name: "credential-in-log",
    what: "the log shows the credential of a call",
    topic: "secrets",
    attack: "secrets in the log",
    changes: [
      {
        file: "src/api/guard.ts",
        from: "    const { actor } = authentication;\n",
        to: `    const { actor } = authentication;\n    console.log(c.req.raw.headers.get("authorization"));\n`,
      },
    ],
  },
  {
    name: "any-webhook",
    what: "a webhook is found by its id alone, whoever owns it",
    topic: "tenants",
    attack: "another user's ids and tokens",
    changes: [
      {
        file: "src/webhooks/store.ts",
        from: `"id = ?1 AND user_id = ?2 AND workspace_id = ?3"`,
        to: `"id = ?1 AND ?2 IS NOT NULL AND ?3 IS NOT NULL"`,
      },
    ],
  },
  {
    name: "any-webhook-address",
    what: "a webhook may have any address",
    topic: "webhooks",
    attack: "private addresses",
    changes: [
      {
        file: "src/webhooks/check-input.ts",
        from: `return checked.ok ? null : { ...checked.problem, param: "url" };`,
        to: `return checked.ok || url !== "" ? null : { ...checked.problem, param: "url" };`,
      },
    ],
  },
  {
    name: "address-checked-once",
    what: "the address of a webhook is not checked again before a try",
    topic: "webhooks",
    attack: "a name that leads to a private address",
    changes: [
      {
        file: "src/webhooks/delivery/send-try.ts",
        from: "  if (!checked.ok) {",
        to: `  if (!checked.ok && receiver.url === "") {`,
      },
      {
        file: "src/webhooks/delivery/send-try.ts",
        from: "new Request(checked.value, {",
        to: "new Request(receiver.url, {",
      },
    ],
  },
  {
    name: "redirect-of-a-receiver",
    what: "a webhook follows the redirects of its receiver",
    topic: "webhooks",
    attack: "redirects to private addresses",
    changes: [
      {
        file: "src/webhooks/delivery/send-try.ts",
        from: `redirect: "manual",`,
        to: `redirect: "follow",`,
      },
    ],
  },
  {
    name: "whole-answer-of-a-receiver",
    what: "the answer of a receiver is read and kept as a whole",
    topic: "webhooks",
    attack: "answers that are huge",
    changes: [
      {
        file: "src/webhooks/delivery/send-try.ts",
        from: "const MAX_RESPONSE_BYTES = 1024;",
        to: "const MAX_RESPONSE_BYTES = 1024 * 1024;",
      },
    ],
  },
  {
    name: "description-of-several-lines",
    what: "the description of a webhook may have control characters",
    topic: "webhooks",
    attack: "headers injected",
    changes: [
      {
        file: "src/webhooks/check-input.ts",
        from: "description.isWellFormed() && !hasControlCharacter(description)",
        to: "description.isWellFormed() || hasControlCharacter(description)",
      },
    ],
  },
  {
    name: "secret-in-a-header",
    what: "a delivery holds the secret that signs it",
    topic: "webhooks",
    attack: "the signing secret",
    changes: [
      {
        file: "src/webhooks/delivery/send-try.ts",
        from: `"user-agent": "Almanac-Webhooks/1",`,
        to: `"user-agent": "Almanac-Webhooks/1",\n        "x-secret": receiver.secrets.join(),`,
      },
    ],
  },
  {
    name: "unlimited-guesses",
    what: "the secrets of calendars may be guessed without a limit",
    topic: "webhooks",
    attack: "guesses of a calendar's secret",
    changes: [
      {
        file: "src/api/files/calendar.ts",
        from: "if (!(await countInvalidCredential(c.env, c.req.raw.headers))) {",
        to: 'if (secret === "" && !(await countInvalidCredential(c.env, c.req.raw.headers))) {',
      },
    ],
  },
];
