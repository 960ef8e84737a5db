import type { Patch } from "../source-copy.ts";

/** A check that a copy of the source code lacks, and the attack that must find that. */
export interface Hole extends Patch {
  readonly what: string;
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
    changes: [{ from: "=> ", to: "=> true || " }],
  },
  {
    name: "any-resource",
    what: "an access token opens the API and the MCP server, whichever its user granted",
    topic: "agents",
    attack: "a token for the API at the MCP server",
    changes: [{ from: "g.resource = ?3", to: "g.resource <> ?3 || 'x'" }],
  },
  {
    name: "no-owner-check",
    what: "a post is found by its id alone, whoever owns it",
    topic: "tenants",
    attack: "another user's ids and tokens",
    changes: [{ from: "p.user_id = ?1 AND p.workspace_id = ?2", to: "?1 IS NOT NULL AND ?2 IS NOT NULL" }],
  },
  {
    name: "no-browser-check",
    what: "the callback of a login demands a cookie, but not that of the browser that started it",
    topic: "connect",
    attack: "a stranger's callback",
    changes: [{ from: "s.browser_hash = ?5", to: "s.browser_hash IS NOT NULL" }],
  },
  {
    name: "any-server-answers",
    what: "any server may answer the login at another one",
    topic: "connect",
    attack: "a server that a victim names",
    changes: [{ from: "serverOf(started) === server", to: "serverOf(started) !== null" }],
  },
  {
    name: "any-issuer",
    what: "the issuer of an answer is not compared",
    topic: "connect",
    attack: "the callback names another server",
    changes: [{ from: "if (", to: "if (false && " }],
  },
  {
    name: "no-consent-token",
    what: "consent is accepted without the token of the page",
    topic: "authorize",
    attack: "consent without the page",
    changes: [{ from: "if (", to: "if (false && " }],
  },
  {
    name: "failures-of-all-clients",
    what: "wrong passwords of strangers delay the right one of the owner",
    topic: "sign-in",
    attack: "wrong passwords of strangers everywhere",
    changes: [{ from: "sha256Hex(id)", to: `sha256Hex(String(id).slice(0, 0))` }],
  },
  {
    name: "quick-unknown-address",
    what: "signing in with an unknown address answers without hashing the password",
    topic: "sign-in",
    attack: "whether an address has an account",
    changes: [{ before: "if (stored === null) { return { matches: false, outdated: false }; }" }],
  },
  {
    name: "any-verifier",
    what: "a code is exchanged without the verifier of the app that asked for it",
    topic: "authorize",
    attack: "guesses of a code and of its verifier",
    changes: [{ from: "code_challenge = ?3", to: "code_challenge <> ?3 || 'x'" }],
  },
  {
    name: "any-port-of-our-host",
    what: "any port of the service's own host may be fetched",
    topic: "addresses",
    attack: "media at private addresses",
    changes: [
      {
        before:
          "if (trustedOrigin !== null && url.hostname === new URL(trustedOrigin).hostname) { return { ok: true, value: url }; }",
      },
    ],
  },
  {
    name: "answers-without-a-limit",
    what: "the answers of other servers are read whatever their size",
    topic: "answers",
    attack: "a server that a person names",
    changes: [{ from: ";", to: " * 1024;" }],
  },
  {
    name: "unlimited-reads",
    what: "a calendar may be read any number of times",
    topic: "answers",
    attack: "a calendar is read",
    changes: [{ from: "if (", to: "if (false && " }],
  },
  {
    name: "no-pixel-limit",
    what: "pictures may have any number of pixels",
    topic: "pictures",
    attack: "pictures of four thousand megapixels",
    changes: [{ from: "if (", to: "if (false && " }],
  },
  {
    name: "no-origin-needed",
    what: "a form without an Origin header is accepted",
    topic: "forms",
    attack: "every form of every page",
    changes: [{ from: "= ", to: "= origin === undefined || " }],
  },
  {
    name: "claimed-address",
    what: "the address of a caller is what X-Forwarded-For claims",
    topic: "requests",
    attack: "another address in X-Forwarded-For",
    changes: [{ from: "headers.get(", to: `headers.get("x-forwarded-for") ?? headers.get(` }],
  },
  {
    name: "address-of-128-bits",
    what: "limits per address count every IPv6 address of a subscriber alone",
    topic: "limits",
    attack: "one IPv6 subscriber",
    changes: [{ instead: "return { address, network: address };" }],
  },
  {
    name: "unlimited-drafts",
    what: "drafts count against nothing",
    topic: "limits",
    attack: "texts of a trial",
    changes: [{ from: "coalesce(sum(octet_length(d.content)), 0)", to: "0 * count(*)" }],
  },
  {
    name: "uncounted-long-texts",
    what: "long posts count against nothing",
    topic: "limits",
    attack: "texts of a trial",
    changes: [{ instead: "use.statements.at(0);" }],
  },
  {
    name: "fresh-clients-evicted",
    what: "a registration of an app is evicted by newer ones within its first hour",
    topic: "limits",
    attack: "the fresh app of somebody else",
    changes: [{ from: "created_at <= ?3", to: "?3 > 0" }],
  },
  {
    name: "no-workspace-limit",
    what: "a user may create any number of workspaces",
    topic: "quotas",
    attack: "more workspaces than the plan has",
    changes: [{ from: "WHERE ", to: "WHERE 0 * " }],
  },
  {
    name: "unread-body-is-our-fault",
    what: "a body that is not JSON is answered as an error of the service",
    topic: "fuzz",
    attack: "bodies that are not what they say",
    changes: [{ instead: `throw new Error("not JSON");` }],
  },
  {
    name: "credential-in-log",
    what: "the log shows the credential of a call",
    topic: "secrets",
    attack: "secrets in the log",
    changes: [{ before: `console.log(c.req.raw.headers.get("authorization"));` }],
  },
  {
    name: "any-webhook",
    what: "a webhook is found by its id alone, whoever owns it",
    topic: "tenants",
    attack: "another user's ids and tokens",
    changes: [
      { from: "id = ?1 AND user_id = ?2 AND workspace_id = ?3", to: "id = ?1 AND ?2 IS NOT NULL AND ?3 IS NOT NULL" },
    ],
  },
  {
    name: "any-webhook-address",
    what: "a webhook may have any address",
    topic: "webhooks",
    attack: "private addresses",
    changes: [{ before: `if (url !== "") { return null; }` }],
  },
  {
    name: "address-checked-once",
    what: "the address of a webhook is not checked again before a try",
    topic: "webhooks",
    attack: "a name that leads to a private address",
    changes: [{ instead: "const checked = { ok: true, value: receiver.url };" }],
  },
  {
    name: "redirect-of-a-receiver",
    what: "a webhook follows the redirects of its receiver",
    topic: "webhooks",
    attack: "redirects to private addresses",
    changes: [{ from: "manual", to: "follow" }],
  },
  {
    name: "whole-answer-of-a-receiver",
    what: "the answer of a receiver is read and kept as a whole",
    topic: "webhooks",
    attack: "answers that are huge",
    changes: [{ from: ";", to: " * 1024;" }],
  },
  {
    name: "description-of-several-lines",
    what: "the description of a webhook may have control characters",
    topic: "webhooks",
    attack: "headers injected",
    changes: [{ from: "&&", to: "||" }],
  },
  {
    name: "secret-in-a-header",
    what: "a delivery holds the secret that signs it",
    topic: "webhooks",
    attack: "the signing secret",
    changes: [{ before: `"x-secret": receiver.secrets.join(),` }],
  },
  {
    name: "webhook-without-posts-read",
    what: "a webhook is made with workspaces:write alone",
    topic: "webhooks",
    attack: "posts read through a webhook",
    changes: [{ from: `, "posts:read"`, to: "" }],
  },
  {
    name: "webhook-outlives-key",
    what: "a webhook goes on when the key that made it is revoked",
    topic: "webhooks",
    attack: "webhooks and calendars after",
    changes: [
      {
        at: "CREATE TRIGGER webhooks_of_revoked_key",
        from: "NEW.revoked_at IS NOT NULL",
        to: "NEW.revoked_at IS NULL",
      },
    ],
  },
  {
    name: "feed-outlives-password",
    what: "calendar addresses go on when everything is revoked with the password",
    topic: "webhooks",
    attack: "webhooks and calendars after",
    changes: [{ from: "keep.feeds, END_FEEDS_SQL", to: "null, END_FEEDS_SQL" }],
  },
  {
    name: "unlimited-guesses",
    what: "the secrets of calendars may be guessed without a limit",
    topic: "webhooks",
    attack: "guesses of a calendar's secret",
    changes: [{ from: "if (", to: "if (false && " }],
  },
];
