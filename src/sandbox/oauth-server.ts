import { recordTable } from "./record-table.ts";
import { fromBase64, toBase64Url } from "#core/encoding.ts";
import type { JsonObject } from "#core/json.ts";
import type { SimulatorContext, SimulatorLogin } from "./contract.ts";

/* The parts that simulated authorization servers share: a consent page, single-use codes, tokens that expire. */

export interface AuthorizationCode {
  readonly login: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: string | null;
  readonly expiresAt: number;
  readonly used: boolean;
}

const CODES = recordTable<AuthorizationCode>("code:");

export interface Token {
  readonly login: string;
  readonly scopes: readonly string[];
  readonly kind: "access" | "refresh";
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  /** The id of the consent. All tokens of a consent are revoked together. */
  readonly grant: string;
  readonly extra: JsonObject;
}

export const TOKENS = recordTable<Token>("token:");

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

/** The consent page that lists the test users, for a query without `login`. */
export function consentPage(title: string, url: URL, logins: readonly SimulatorLogin[]): Response {
  const link = (extra: Record<string, string>): string => {
    const query = new URLSearchParams(url.searchParams);
    for (const [name, value] of Object.entries(extra)) {
      query.set(name, value);
    }
    return escapeHtml(`?${query.toString()}`);
  };
  const items = logins.map(
    (login) =>
      `<li><a href="${link({ login: login.name })}">Continue as <strong>${escapeHtml(login.name)}</strong></a> ${escapeHtml(login.description)}</li>`,
  );
  return new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><body><main><h1>${escapeHtml(title)}</h1><p>This is a sandbox: no real account is involved. The app asks for: <code>${escapeHtml(url.searchParams.get("scope") ?? "")}</code></p><ul>${items.join("")}<li><a href="${link({ login: "-" })}">Deny</a></li></ul></main></body></html>`,
    { headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" } },
  );
}

export function redirect(to: string, params: Record<string, string>, fragment = ""): Response {
  const target = new URL(to);
  for (const [name, value] of Object.entries(params)) {
    target.searchParams.set(name, value);
  }
  return new Response(null, { status: 302, headers: { location: `${target.href}${fragment}` } });
}

export function issueCode(
  sim: SimulatorContext,
  prefix: string,
  code: Omit<AuthorizationCode, "used" | "expiresAt">,
  lifetimeSeconds: number,
): string {
  const secret = sim.newSecret(prefix);
  CODES.save(sim, secret, { ...code, used: false, expiresAt: sim.now() + lifetimeSeconds * 1000 });
  return secret;
}

/** Marks a code as used and returns it; undefined if the code, redirect URI or verifier does not match. */
export async function redeemCode(
  sim: SimulatorContext,
  secret: string,
  redirectUri: string,
  verifier: string | null,
): Promise<AuthorizationCode | undefined> {
  // The digest is computed before the code is read, because an await between reading and marking the code would let two
  // callers redeem it.
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier ?? ""));
  const code = CODES.find(sim, secret);
  if (!code || code.used || code.expiresAt <= sim.now() || code.redirectUri !== redirectUri) {
    return undefined;
  }
  if (code.challenge !== null && toBase64Url(new Uint8Array(digest)) !== code.challenge) {
    return undefined;
  }
  CODES.save(sim, secret, { ...code, used: true });
  return code;
}

export function issueToken(
  sim: SimulatorContext,
  prefix: string,
  token: Omit<Token, "revoked" | "expiresAt">,
  lifetimeSeconds: number | null,
): string {
  const secret = sim.newSecret(prefix);
  const seconds = token.kind === "access" ? (sim.settings.token_lifetime_s ?? lifetimeSeconds) : lifetimeSeconds;
  const stored: Token = { ...token, revoked: false, expiresAt: seconds === null ? null : sim.now() + seconds * 1000 };
  TOKENS.save(sim, secret, stored);
  return secret;
}

/** The token if it exists, has this kind, and is neither expired nor revoked. */
export function findValidToken(sim: SimulatorContext, secret: string, kind: Token["kind"]): Token | undefined {
  const token = TOKENS.find(sim, secret);
  const invalid =
    !token || token.kind !== kind || token.revoked || (token.expiresAt !== null && token.expiresAt <= sim.now());
  return invalid ? undefined : token;
}

export function revokeToken(sim: SimulatorContext, secret: string): void {
  const token = TOKENS.find(sim, secret);
  if (token) {
    TOKENS.save(sim, secret, { ...token, revoked: true });
  }
}

/** Ends every token of the login, as when the user revokes the app's access. False if the login never consented. */
export function revokeTokensOfLogin(sim: SimulatorContext, login: string): boolean {
  sim.endSharedGrant(login);
  return endGrant(sim, login);
}

/** Ends every token of the login at the one simulator. */
export function endGrant(sim: SimulatorContext, login: string): boolean {
  return TOKENS.update(sim, (token) => (token.login === login ? { ...token, revoked: true } : undefined)) > 0;
}

export function revokeTokensOfGrant(sim: SimulatorContext, grant: string): void {
  TOKENS.update(sim, (token) => (token.grant === grant ? { ...token, revoked: true } : undefined));
}

/** The fields of an urlencoded body. They are read as bytes, because the runtime logs a warning for forms read as text. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await request.arrayBuffer()));
}

export function bearerToken(request: Request): string | null {
  return /^Bearer (?<token>\S+)$/.exec(request.headers.get("authorization") ?? "")?.groups?.["token"] ?? null;
}

/** Decodes Base64. The result is empty if the text is not Base64. */
export function fromBase64OrEmpty(text: string): Uint8Array {
  try {
    return fromBase64(text);
  } catch {
    return new Uint8Array();
  }
}

export function basicAuth(request: Request): { id: string; secret: string } | null {
  const encoded = /^Basic (?<pair>\S+)$/.exec(request.headers.get("authorization") ?? "")?.groups?.["pair"];
  if (encoded === undefined) {
    return null;
  }
  const [id = "", ...rest] = new TextDecoder().decode(fromBase64OrEmpty(encoded)).split(":");
  return { id, secret: rest.join(":") };
}
