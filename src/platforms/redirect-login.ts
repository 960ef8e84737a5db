import type { AppCredentials, CodeExchange, OAuthMethod, PlatformClient, LoginResult } from "./contract.ts";
import { succeeded } from "./fault.ts";

/** The parameters of the login URL of one connect attempt. */
export interface AuthorizeRequest {
  /** The callback URL. The code exchange must send the same one. */
  readonly redirectUri: string;
  /** The callback returns it unchanged; it protects against forged callbacks. */
  readonly state: string;
  /** S256 challenge, base64url; used where the platform supports PKCE. */
  readonly codeChallenge: string;
}

/** The common OAuth login. The service computes its URL, so a start sends no request and stores nothing. */
export function redirectLogin(login: {
  /** The service sends the user's browser there; contains no secret. */
  authorizeUrl(app: AppCredentials, request: AuthorizeRequest): URL;
  /** As in `OAuthMethod`. */
  exchangeCode(client: PlatformClient, app: AppCredentials, exchange: CodeExchange): Promise<LoginResult>;
}): Pick<OAuthMethod, "start" | "exchangeCode"> {
  return {
    start: (_client, app, { redirectUri, state, codeChallenge }) =>
      Promise.resolve(succeeded({ url: login.authorizeUrl(app, { redirectUri, state, codeChallenge }), state: {} })),
    exchangeCode: (client, app, exchange) => login.exchangeCode(client, app, exchange),
  };
}
