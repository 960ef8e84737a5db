import { z } from "@hono/zod-openapi";
import { DAY, HOUR, SECOND } from "#core/clock.ts";
import { fromBase64Url } from "#core/encoding.ts";
import type { LoginResult, TokenSet } from "#platforms/connect-contract.ts";
import type { FaultCode, PlatformClient, Result } from "#platforms/contract.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { PasswordTokens } from "./answers.ts";
import { signInFault, toFault } from "./errors.ts";
import { parseLoginTarget, resolveDid, resolveHandleIdentity } from "./identity.ts";
import { FULL_ACCESS_SCOPE } from "./scopes.ts";
import { type PasswordSession, uniqueHosts } from "./session.ts";

/** atproto.com/specs/xrpc. The main password has more power than this service may hold. */
const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/;
const ACCESS_LIFETIME_MS = 2 * HOUR;
const REFRESH_LIFETIME_MS = 90 * DAY;

export async function signIn(
  client: PlatformClient,
  values: Readonly<Record<string, string>>,
  now: number,
): Promise<LoginResult> {
  const target = parseLoginTarget(values["identifier"] ?? "");
  if (!target || target.kind === "server") {
    return refused("Enter the handle of the account, such as ada.bsky.social.");
  }
  const password = (values["app_password"] ?? "").trim();
  if (!APP_PASSWORD.test(password)) {
    return refused(
      "This is not an app password (abcd-efgh-ijkl-mnop). Make one in the settings of your account; the main password is never accepted here.",
    );
  }
  const identity =
    target.kind === "did" ? await resolveDid(client, target.did) : await resolveHandleIdentity(client, target.handle);
  if (!identity.ok) {
    return identity;
  }
  const { did, pds } = identity.value;
  const identifier = target.kind === "did" ? target.did : target.handle;
  const response = await callPlatform(
    client,
    `${pds}/xrpc/com.atproto.server.createSession`,
    postJson({ identifier, password }),
  );
  const tokens = isOk(response) ? parseBody(PasswordTokens, response) : undefined;
  if (!tokens) {
    return failed(signInFault(response));
  }
  if (tokens.did !== did) {
    return refused("The server logged in another account than the one that was entered.");
  }
  const session: PasswordSession = { method: "app_password", did, pds };
  return succeeded({
    externalId: did,
    displayName: tokens.handle ?? identity.value.claimedHandle ?? did,
    tokens: toTokenSet(tokens, session, now),
  });
}

/** For two hours the old refresh token leads to the same successor, so a lost answer loses nothing. */
export async function refreshPasswordSession(
  client: PlatformClient,
  tokens: TokenSet,
  session: PasswordSession,
  now: number,
): Promise<Result<TokenSet>> {
  const response = await callPlatform(client, `${session.pds}/xrpc/com.atproto.server.refreshSession`, {
    method: "POST",
    headers: bearerHeader(tokens.refreshToken ?? ""),
  });
  const refreshed = isOk(response) ? parseBody(PasswordTokens, response) : undefined;
  return refreshed && refreshed.did === session.did
    ? succeeded(toTokenSet(refreshed, session, now))
    : failed(toFault(response, now));
}

export async function revokePasswordSession(
  client: PlatformClient,
  tokens: TokenSet,
  session: PasswordSession,
): Promise<void> {
  await catchConnectionErrors(async () =>
    succeeded(
      await callPlatform(client, `${session.pds}/xrpc/com.atproto.server.deleteSession`, {
        method: "POST",
        headers: bearerHeader(tokens.refreshToken ?? ""),
      }),
    ),
  );
}

function toTokenSet(tokens: PasswordTokens, session: PasswordSession, now: number): TokenSet {
  return {
    accessToken: tokens.accessJwt,
    refreshToken: tokens.refreshJwt,
    expiresAt: readExpiry(tokens.accessJwt) ?? now + ACCESS_LIFETIME_MS,
    refreshExpiresAt: readExpiry(tokens.refreshJwt) ?? now + REFRESH_LIFETIME_MS,
    scopes: ["atproto", FULL_ACCESS_SCOPE],
    extra: session,
    hosts: uniqueHosts([session.pds]),
  };
}

const Claims = z.looseObject({ exp: z.number().positive() });

/** The expiry inside a JWT, in milliseconds; the answer names none. */
function readExpiry(jwt: string): number | null {
  try {
    const claims = JSON.parse(new TextDecoder().decode(fromBase64Url(jwt.split(".")[1] ?? ""))) as unknown;
    return Claims.parse(claims).exp * SECOND;
  } catch {
    return null;
  }
}

function refused(message: string): Result<never, FaultCode> {
  return failed(rejected(message, { httpStatus: null }, { code: "login_refused", category: "auth" }));
}
