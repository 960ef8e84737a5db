import type { App } from "./apps.ts";
import type { Call } from "./call.ts";
import { fixedError, loginDisabled, outsideScopes, tokenRefused } from "./error-responses.ts";
import { findUserByLogin, type TestUser } from "./test-users.ts";
import { requestToken, type Token, tokenProblem } from "./tokens.ts";

/* Permissions of callers (docs/platforms/facts/mastodon.md part 5, 6.7 and 6.8). */

export interface Caller {
  readonly user: TestUser;
  readonly app: App;
}

/** Whether the granted scopes include the wanted one. A parent scope includes its children (D api/oauth-scopes.md). */
const includesScope = (granted: readonly string[], wanted: string): boolean =>
  granted.includes(wanted) || granted.includes(wanted.split(":")[0] ?? wanted);

const userState = ({ settings }: Call, login: string | null): string => (login === "ben" ? settings.benState : "");

export const isSilenced = (call: Call, user: TestUser): boolean => userState(call, user.login) === "silenced";

/**
 * The token if it is valid and has one of the scopes, otherwise the error response. Without scopes any valid token is
 * enough.
 */
function authorizeToken(call: Call, token: Token | undefined, scopes: readonly string[]): Token | Response {
  // A suspended account is refused before its token is checked (M api/base_controller.rb).
  if (token && userState(call, token.login) === "suspended") {
    return loginDisabled(call);
  }
  const problem = tokenProblem(call, token);
  if (problem !== null || !token) {
    return tokenRefused(call, problem ?? "invalid");
  }
  const isAllowed = scopes.length === 0 || scopes.some((scope) => includesScope(token.scopes, scope));
  return isAllowed ? token : outsideScopes(call);
}

function appOf({ store }: Call, token: Token): App {
  const app = store.get<App>(`app/${token.clientId}`);
  if (!app) {
    throw new Error("a token without its app");
  }
  return app;
}

/** Requires any valid token; before 4.3 the token also needs the scope `read` (1.2 in the facts). */
export function requireApp(call: Call): App | Response {
  const token = authorizeToken(call, requestToken(call), call.instance.is42 ? ["read"] : []);
  return token instanceof Response ? token : appOf(call, token);
}

function userOf(call: Call, token: Token): TestUser | undefined {
  const isDeleted = userState(call, token.login) === "deleted";
  return isDeleted ? undefined : findUserByLogin(call.instance.host, token.login);
}

/** Requires the token of a user whose account is not restricted. */
export function requireUser(call: Call, scopes: readonly string[]): Caller | Response {
  const token = authorizeToken(call, requestToken(call), scopes);
  if (token instanceof Response) {
    return token;
  }
  const user = userOf(call, token);
  if (!user) {
    return fixedError(call, 422, "This method requires an authenticated user");
  }
  switch (userState(call, user.login)) {
    case "unconfirmed":
      return fixedError(call, 403, "Your login is missing a confirmed e-mail address");
    case "pending":
      return fixedError(call, 403, "Your login is currently pending approval");
    case "disabled":
      return loginDisabled(call);
    default:
      return { user, app: appOf(call, token) };
  }
}

/** The user who calls; null without a token. An unknown token counts as none (4.4 in the facts). */
export function requireTokenIfGiven(call: Call, scopes: readonly string[]): TestUser | null | Response {
  const token = requestToken(call);
  if (!token) {
    return null;
  }
  const authorized = authorizeToken(call, token, scopes);
  return authorized instanceof Response ? authorized : (userOf(call, authorized) ?? null);
}
