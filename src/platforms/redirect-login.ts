import type { AppCredentials, CodeExchange, OAuthMethod, PlatformClient, LoginResult } from "./contract.ts";
import { succeeded } from "./fault.ts";

/** The parameters of the login URL of one attempt to connect. */
export interface AuthorizeRequest {
  /** The callback URL. The code exchange must send the same one. */
  readonly redirectUri: string;
  /** The OAuth state, which the callback returns unchanged. It protects against forged callbacks. */
  readonly state: string;
  /** The S256 challenge (base64url), for platforms that support PKCE. */
  readonly codeChallenge: string;
}

/** Builds a login whose URL this service computes itself. So a start sends no request and stores nothing. */
export function redirectLogin(login: {
  /** The URL to which the user's browser is sent. It contains no secret. */
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /** Exchanges the code for tokens, as `OAuthMethod` describes. */
  exchangeCode(client: PlatformClient, app: AppCredentials, exchange: CodeExchange): Promise<LoginResult>;
}): Pick<OAuthMethod, "start" | "exchangeCode"> {
  return {
    start: (_client, app, { redirectUri, state, codeChallenge }) =>
      Promise.resolve(succeeded({ url: login.authorizeUrl(app, { redirectUri, state, codeChallenge }), state: {} })),
    exchangeCode: (client, app, exchange) => login.exchangeCode(client, app, exchange),
  };
}
