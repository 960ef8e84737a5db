import { z } from "@hono/zod-openapi";
import { DAY, HOUR, SECOND } from "#core/clock.ts";
import { fromBase64Url } from "#core/encoding.ts";
import type {
  Connector,
  CredentialsMethod,
  PostableAccount,
  TokenSet,
  ConnectCalls,
  LoginResult,
  PlatformClient,
  Result,
  FaultCode,
} from "#platforms/contract.ts";
import { failed, reconnect, succeeded, rejected } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { withQuery, bearerHeader, postJson } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody, type PlatformResponse, faultOf } from "#platforms/response.ts";
import { parseLoginTarget, resolveDid, resolveHandleIdentity } from "./account.ts";
import { Profile, SessionInfo, PasswordTokens } from "./answers.ts";
import { openAccountServer, readSession, sessionUnreadable, type PasswordSession, uniqueHosts } from "./api.ts";
import { toFault, signInFault } from "./errors.ts";
import { APPVIEW_ORIGIN } from "./hosts.ts";
import { findMissingPermissions, FULL_ACCESS_SCOPE } from "./login.ts";
import { finishLogin, refreshOAuth, revokeOAuth, startLogin } from "./oauth.ts";

const PROFILE_TIMEOUT_MS = 8000;
const INVALID_HANDLE = "handle.invalid";

export const connect = {
  start: (client, app, request) => catchConnectionErrors(async () => await startLogin(client, app, request)),

  exchangeCode: (client, app, exchange) => catchConnectionErrors(async () => await finishLogin(client, app, exchange)),

  signIn: (client, _app, values, now) => catchConnectionErrors(async () => await signIn(client, values, now)),

  listAccounts: (client, _app, tokens) => catchConnectionErrors(async () => await listAccount(client, tokens)),

  refresh: (client, app, tokens, now) =>
    catchConnectionErrors(async () => {
      const session = readSession(tokens.extra);
      if (!session || tokens.refreshToken === null) {
        return failed(sessionUnreadable());
      }
      return session.method === "oauth"
        ? await refreshOAuth(client, app, tokens, session, now)
        : await refreshPasswordSession(client, tokens, session, now);
    }),

  revoke: async (client, app, tokens) => {
    const session = readSession(tokens.extra);
    if (session?.method === "oauth") {
      await revokeOAuth(client, app, tokens, session);
    } else if (session) {
      await revokePasswordSession(client, tokens, session);
    }
  },
} satisfies ConnectCalls & Pick<CredentialsMethod, "signIn">;

type AccountList = Awaited<ReturnType<Connector["listAccounts"]>>;

/**
 * Reads the account of a login. Its server says whether the login works and the account is active; the AppView knows
 * name and picture.
 */
async function listAccount(client: PlatformClient, tokens: TokenSet): Promise<AccountList> {
  const server = openAccountServer(client, tokens.extra, tokens.accessToken);
  if (!server) {
    return failed(sessionUnreadable());
  }
  const response = await server.call("com.atproto.server.getSession");
  const info = isOk(response) ? parseBody(SessionInfo, response) : undefined;
  if (!info) {
    return failed(sessionFault(response));
  }
  const { did } = server.session;
  if (info.did !== did) {
    return failed(reconnect("The account's server returned another account.", { httpStatus: response.status }));
  }
  if (info.active === false) {
    const reason = `The account is ${info.status ?? "not active"} at its server.`;
    return succeeded({ accounts: [], unpostable: [{ platformAccountId: did, displayName: info.handle, reason }] });
  }
  const profile = await readProfile(client, did);
  if (!profile.ok) {
    return profile;
  }
  const account: PostableAccount = {
    platformAccountId: did,
    username: info.handle,
    displayName: profile.value.displayName || info.handle,
    avatarUrl: profile.value.avatar ?? null,
    profileUrl: `https://bsky.app/profile/${info.handle === INVALID_HANDLE ? did : info.handle}`,
    missingScopes: findMissingPermissions(tokens.scopes),
    capabilities: {},
    token: null,
  };
  return succeeded({ accounts: [account], unpostable: [] });
}

function sessionFault(response: PlatformResponse) {
  const missing = "The account's server did not return the account that logged in.";
  return faultOf(response, missing, (refusal) => toFault(refusal, null));
}

/** Reads an account's profile. The AppView has none for an account whose server it does not know. */
async function readProfile(client: PlatformClient, did: string): Promise<Result<Profile>> {
  const response = await callPlatform(
    client,
    withQuery(`${APPVIEW_ORIGIN}/xrpc/app.bsky.actor.getProfile`, { actor: did }),
    {
      timeoutMs: PROFILE_TIMEOUT_MS,
    },
  );
  const profile = isOk(response) ? parseBody(Profile, response) : undefined;
  if (profile) {
    return succeeded(profile);
  }
  return response.status === 400 || response.status === 404 ? succeeded({}) : failed(sessionFault(response));
}

/**
 * Matches an app password (atproto.com/specs/xrpc). The main password is refused, because it would give this service
 * too many rights.
 */
const APP_PASSWORD = /^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/;
const ACCESS_LIFETIME_MS = 2 * HOUR;
const REFRESH_LIFETIME_MS = 90 * DAY;

async function signIn(
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

/**
 * Refreshes the tokens of a login with an app password. The old refresh token gives the same successor for two hours,
 * so a lost answer does no harm.
 */
async function refreshPasswordSession(
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

async function revokePasswordSession(
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

/** The expiry inside a JWT (ms), because the answer itself does not name it. */
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
