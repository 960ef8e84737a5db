import { DAY } from "#core/clock.ts";
import { type Answer, call, isOk, read } from "#platforms/answer.ts";
import type { AppCredentials, Connect, Fault, PostableAccount, Result, PlatformClient } from "#platforms/contract.ts";
import { failed, succeeded, temporary } from "#platforms/fault.ts";
import { bearer, postForm, withQuery } from "#platforms/form.ts";
import { graphGet } from "#platforms/graph.ts";
import { loginFault, longLived, renewBy, tokenBy } from "#platforms/graph-login.ts";
import { codeFrom, guarded, missingFrom, readTokens } from "#platforms/oauth-token.ts";
import { Me, TokenInfo } from "./answers.ts";
import { toFault } from "./errors.ts";
import { AUTHORIZE_URL, GRAPH, graphOf } from "./hosts.ts";

const SCOPES = ["threads_basic", "threads_content_publish"] as const;
const ME_FIELDS = "id,username,name,threads_profile_picture_url";

export const connect: Connect = {
  authorizeUrl(app, request) {
    return withQuery(AUTHORIZE_URL, {
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      scope: SCOPES.join(","),
      response_type: "code",
      state: request.state,
    });
  },

  async exchange(client, app, exchange) {
    const code = codeFrom(exchange.params);
    if (!code.ok) {
      return code;
    }
    return await guarded(async () => {
      const shortLived = await call(
        client,
        `${GRAPH}/oauth/access_token`,
        postForm({
          client_id: app.clientId,
          client_secret: app.clientSecret,
          grant_type: "authorization_code",
          redirect_uri: exchange.redirectUri,
          code: code.value,
        }),
      );
      const short = isOk(shortLived) ? readTokens(shortLived) : undefined;
      if (!short) {
        return failed(loginFault(shortLived));
      }
      const long = await tokenBy(client, `${GRAPH}/access_token`, {
        grant_type: "th_exchange_token",
        client_secret: app.clientSecret,
        access_token: short.accessToken,
      });
      if (!long.ok) {
        return long;
      }
      const { accessToken } = long.value;
      const me = await profile(client, app, accessToken);
      if (!me.ok) {
        return me;
      }
      return succeeded({
        externalId: me.value.id,
        displayName: me.value.name ?? me.value.username,
        tokens: {
          ...longLived(long.value, exchange.now),
          scopes: await grantedScopes(client, accessToken),
        },
      });
    });
  },

  async accounts(client, app, tokens) {
    return await guarded(async () => {
      const me = await profile(client, app, tokens.accessToken);
      if (!me.ok) {
        return me;
      }
      const { id, username, name, threads_profile_picture_url: avatarUrl } = me.value;
      const account: PostableAccount = {
        platformAccountId: id,
        username,
        displayName: name ?? username,
        avatarUrl: avatarUrl ?? null,
        profileUrl: `https://www.threads.com/@${username}`,
        missingScopes: missingFrom(SCOPES, tokens.scopes),
        capabilities: {},
        token: null,
      };
      return succeeded({ accounts: [account], unpostable: [] });
    });
  },

  async refresh(client, _app, tokens, now) {
    return await renewBy(client, `${GRAPH}/refresh_access_token`, "th_refresh_token", tokens, now);
  },
  // A token lives 60 days and can be renewed once it is a day old.
  refreshAheadMs: 15 * DAY,
};

async function profile(client: PlatformClient, app: AppCredentials, token: string): Promise<Result<Me>> {
  const answer = await graphGet(client, `${graphOf(app)}/me`, token, { fields: ME_FIELDS });
  const me = isOk(answer) ? read(Me, answer) : undefined;
  return me ? succeeded(me) : failed(profileFault(answer));
}

function profileFault(answer: Answer): Fault {
  return isOk(answer)
    ? temporary("Threads did not tell which account logged in.", { httpStatus: answer.status })
    : toFault(answer);
}

/** The token answer does not name them; where this call does not either, the first refusal of a post will. */
async function grantedScopes(client: PlatformClient, token: string): Promise<readonly string[]> {
  try {
    const url = withQuery(`${GRAPH}/debug_token`, { access_token: token, input_token: token });
    const answer = await call(client, url, { headers: bearer(token), timeoutMs: 5000 });
    return (isOk(answer) ? read(TokenInfo, answer)?.data.scopes : undefined) ?? SCOPES;
  } catch {
    return SCOPES;
  }
}
