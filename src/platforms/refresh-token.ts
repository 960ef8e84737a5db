import type { AppCredentials, PlatformClient, Result, TokenSet } from "./contract.ts";
import { failed, reconnect, succeeded } from "./fault.ts";
import type { RequestFields } from "./request-encoding.ts";
import type { TokenResponse } from "./oauth-token.ts";

/** The common refresh: exchanges a refresh token for new tokens. A login without one cannot refresh. */
export function refreshWithToken(rules: {
  /** Sends the grant and adds what authenticates the app. */
  request(client: PlatformClient, app: AppCredentials, grant: RequestFields): Promise<Result<TokenResponse>>;
  /** The token set that replaces `previous`. */
  toTokenSet(response: TokenResponse, now: number, previous: TokenSet): TokenSet;
}): (client: PlatformClient, app: AppCredentials, tokens: TokenSet, now: number) => Promise<Result<TokenSet>> {
  return async (client, app, tokens, now) => {
    if (tokens.refreshToken === null) {
      return failed(reconnect("This login cannot be refreshed. Connect the account again.", { httpStatus: null }));
    }
    const grant = { grant_type: "refresh_token", refresh_token: tokens.refreshToken };
    const response = await rules.request(client, app, grant);
    return response.ok ? succeeded(rules.toTokenSet(response.value, now, tokens)) : response;
  };
}
