import { HOUR } from "#core/clock.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { mintToken, secretOfToken } from "./jwt.ts";
import { findPds, pdsOf, type TestUser } from "./test-users.ts";

/* Access tokens of OAuth sessions and of app passwords, and what ends them. */

/** One consent of a user (section 1.3, rules 9 to 11). */
export type OauthSession = {
  readonly login: string;
  /** The host of the authorization server. */
  readonly issuer: string;
  readonly clientId: string;
  /** The thumbprint of the key that authenticates the client. Null for a public client. */
  readonly authJkt: string | null;
  readonly dpopJkt: string;
  readonly scopes: readonly string[];
  readonly endsAt: number;
  readonly ended: boolean;
  readonly access: string;
};

export type AccessToken = {
  readonly kind: "oauth" | "app";
  readonly login: string;
  /** The host of the PDS that accepts the token. */
  readonly pds: string;
  readonly session: string;
  /** The granted scopes; null for an app password. */
  readonly scopes: readonly string[] | null;
  readonly dpopJkt: string | null;
  readonly expiresAt: number;
  /** Whether the user has removed the app. */
  readonly revoked: boolean;
};

export type AppSession = { readonly login: string; readonly revoked: boolean };

const LIFETIME_MS = { oauth: HOUR, app: 2 * HOUR } as const;

export const oauthSessionKey = (id: string): string => `oauth:${id}`;
export const appSessionKey = (id: string): string => `app:${id}`;

const accessKey = (secret: string): string => `access:${secret}`;

export function issueAccessToken(
  sim: SimulatorContext,
  user: TestUser,
  grant: Pick<AccessToken, "kind" | "session" | "scopes" | "dpopJkt">,
): { token: string; secret: string; expiresInSeconds: number } {
  const { token_lifetime_s } = sim.settings;
  const lifetimeMs = token_lifetime_s === null ? LIFETIME_MS[grant.kind] : token_lifetime_s * 1000;
  const expiresAt = sim.now() + lifetimeMs;
  const pds = pdsOf(sim, user);
  const { token, secret } = mintToken(sim, "at+jwt", {
    scope: grant.scopes?.join(" ") ?? "com.atproto.appPass",
    sub: user.did,
    aud: pds.did,
    iat: Math.floor(sim.now() / 1000),
    exp: Math.floor(expiresAt / 1000),
  });
  const record: AccessToken = { ...grant, login: user.name, pds: pds.host, expiresAt, revoked: false };
  sim.store.put(accessKey(secret), record);
  return { token, secret, expiresInSeconds: Math.round(lifetimeMs / 1000) };
}

export function findAccessToken(sim: SimulatorContext, token: string): { secret: string; record: AccessToken } | null {
  const secret = secretOfToken(token);
  const record = secret === null ? undefined : sim.store.get<AccessToken>(accessKey(secret));
  return secret !== null && record ? { secret, record } : null;
}

/**
 * Whether a PDS still accepts a token. One with its own authorization server accepts only the newest token of a
 * session. Behind an entryway a token works until it expires (rule 10).
 */
export function isAliveAtPds(
  sim: SimulatorContext,
  { secret, record }: { secret: string; record: AccessToken },
): boolean {
  if (record.revoked) {
    return false;
  }
  const session = sim.store.get<OauthSession>(oauthSessionKey(record.session));
  const isOwnServer = findPds(record.pds)?.authorizationServer === record.pds;
  return !isOwnServer || (session?.ended === false && session.access === secret);
}

export function endOauthSession(sim: SimulatorContext, id: string): void {
  const session = sim.store.get<OauthSession>(oauthSessionKey(id));
  if (session) {
    sim.store.put(oauthSessionKey(id), { ...session, ended: true });
  }
}

/**
 * The user removes the app and its app password, which ends access tokens too. With the setting `revoked_tokens_live`
 * they work until they expire, as behind an entryway and for app passwords.
 */
export function revokeLogin(sim: SimulatorContext, login: string): boolean {
  let hadAccess = false;
  for (const [key, session] of sim.store.list<OauthSession>("oauth:")) {
    if (session.login === login && !session.ended) {
      sim.store.put(key, { ...session, ended: true });
      hadAccess = true;
    }
  }
  for (const [key, session] of sim.store.list<AppSession>("app:")) {
    if (session.login === login && !session.revoked) {
      sim.store.put(key, { ...session, revoked: true });
      hadAccess = true;
    }
  }
  if (sim.settings.extra["revoked_tokens_live"] !== true) {
    for (const [key, token] of sim.store.list<AccessToken>("access:")) {
      if (token.login === login) {
        sim.store.put(key, { ...token, revoked: true });
      }
    }
  }
  return hadAccess;
}
