import type { Connector, CredentialsMethod, PostableAccount, TokenSet } from "#platforms/connect-contract.ts";
import type { PlatformClient, Result } from "#platforms/contract.ts";
import type { ConnectCalls } from "#platforms/connect-contract.ts";
import { failed, reconnect, succeeded, temporary } from "#platforms/fault.ts";
import { catchConnectionErrors } from "#platforms/oauth-token.ts";
import { withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody, type PlatformResponse } from "#platforms/response.ts";
import { Profile, SessionInfo } from "./answers.ts";
import { refreshPasswordSession, revokePasswordSession, signIn } from "./app-password.ts";
import { toFault } from "./errors.ts";
import { APPVIEW_ORIGIN } from "./hosts.ts";
import { finishLogin, refreshOAuth, revokeOAuth, startLogin } from "./oauth.ts";
import { findMissingPermissions } from "./scopes.ts";
import { openAccountServer, readSession, sessionUnreadable } from "./session.ts";

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

/** The server says whether the login still works and the account is active; the AppView knows name and picture. */
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
  return isOk(response)
    ? temporary("The account's server did not return the account that logged in.", { httpStatus: response.status })
    : toFault(response, null);
}

/** An account of a server that the AppView does not know has no profile there. */
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
