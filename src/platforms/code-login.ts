import type {
  AppCredentials,
  CodeExchange,
  FaultCode,
  Login,
  OAuthMethod,
  PlatformClient,
  Result,
  TokenSet,
} from "./contract.ts";
import { failed, reconnect, succeeded } from "./fault.ts";
import { authorizationCode, expiresAtFrom, type TokenResponse } from "./oauth-token.ts";
import { type AuthorizeRequest, redirectLogin } from "./redirect-login.ts";
import type { RequestFields } from "./request-encoding.ts";

/** What differs between platforms whose logins follow RFC 6749 (OAuth 2.0). */
interface CodeLogin {
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /** Sends a grant to the token endpoint, with what authenticates the app. */
  request(client: PlatformClient, app: AppCredentials, grant: RequestFields): Promise<Result<TokenResponse>>;
  /** Fields of the code exchange in addition to those of RFC 6749. */
  readonly exchangeFields?: (exchange: CodeExchange) => RequestFields;
  /** Lifetimes (s) for a response that names none. Without `refreshSeconds`, the refresh token keeps its expiry. */
  readonly accessSeconds: number;
  readonly refreshSeconds?: number;
  /** The scopes of a login whose response names none. Absent if the platform always names them. */
  readonly scopesOf?: (app: AppCredentials) => readonly string[];
  identify(
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
    response: TokenResponse,
  ): Promise<Result<Omit<Login, "tokens">, FaultCode>>;
}

/** A login by authorization code and a refresh by refresh token (RFC 6749, sections 4.1 and 6). */
export function codeLogin(login: CodeLogin): Pick<OAuthMethod, "start" | "exchangeCode"> & {
  readonly refresh: (
    client: PlatformClient,
    app: AppCredentials,
    tokens: TokenSet,
    now: number,
  ) => Promise<Result<TokenSet>>;
} {
  const toTokenSet = (
    response: TokenResponse,
    now: number,
    previous: Pick<TokenSet, "refreshToken" | "refreshExpiresAt" | "scopes">,
  ): TokenSet => ({
    accessToken: response.accessToken,
    refreshToken: response.refreshToken ?? previous.refreshToken,
    expiresAt: expiresAtFrom(now, response.expiresInSeconds ?? login.accessSeconds),
    refreshExpiresAt:
      expiresAtFrom(now, response.refreshExpiresInSeconds ?? login.refreshSeconds ?? null) ?? previous.refreshExpiresAt,
    scopes: response.scopes ?? previous.scopes,
  });
  return {
    ...redirectLogin({
      authorizeUrl: (app, request) => login.authorizeUrl(app, request),
      async exchangeCode(client, app, exchange) {
        const code = authorizationCode(exchange.params);
        if (!code.ok) {
          return code;
        }
        const response = await login.request(client, app, {
          grant_type: "authorization_code",
          code: code.value,
          redirect_uri: exchange.redirectUri,
          ...login.exchangeFields?.(exchange),
        });
        if (!response.ok) {
          return response;
        }
        const before = { refreshToken: null, refreshExpiresAt: null, scopes: login.scopesOf?.(app) ?? [] };
        const tokens = toTokenSet(response.value, exchange.now, before);
        const owner = await login.identify(client, app, tokens, response.value);
        return owner.ok ? succeeded({ ...owner.value, tokens }) : owner;
      },
    }),
    async refresh(client, app, tokens, now) {
      if (tokens.refreshToken === null) {
        return failed(reconnect("This login cannot be refreshed. Connect the account again.", { httpStatus: null }));
      }
      const grant = { grant_type: "refresh_token", refresh_token: tokens.refreshToken };
      const response = await login.request(client, app, grant);
      return response.ok ? succeeded(toTokenSet(response.value, now, tokens)) : response;
    },
  };
}
