import { MINUTE } from "#core/clock.ts";
import { call, isOk, read } from "#platforms/answer.ts";
import type { Connect, Fault, PostableAccount, Result, TokenSet, PlatformClient } from "#platforms/contract.ts";
import { failed, reconnect, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { bearer, postForm, withQuery } from "#platforms/form.ts";
import { codeFrom, expiry, guarded, missingFrom, requestTokens, type TokenAnswer } from "#platforms/oauth-token.ts";
import { type Channel, ChannelList } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API, AUTHORIZE_URL, REVOKE_URL, TOKEN_URL } from "./hosts.ts";

const SCOPES = [
  "https://www.googleapis.com/auth/youtube.upload",
  "https://www.googleapis.com/auth/youtube.readonly",
] as const;
const MOST_PAGES = 10;

export const connect: Connect = {
  authorizeUrl(app, request) {
    return withQuery(AUTHORIZE_URL, {
      client_id: app.clientId,
      redirect_uri: request.redirectUri,
      response_type: "code",
      scope: SCOPES.join(" "),
      state: request.state,
      // Both are needed for a refresh token, the second one every time.
      access_type: "offline",
      prompt: "consent",
      code_challenge: request.codeChallenge,
      code_challenge_method: "S256",
    });
  },

  async exchange(client, app, exchange) {
    const code = codeFrom(exchange.params);
    if (!code.ok) {
      return code;
    }
    const tokens = await requestTokens(client, {
      url: TOKEN_URL,
      fields: {
        grant_type: "authorization_code",
        code: code.value,
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uri: exchange.redirectUri,
        code_verifier: exchange.codeVerifier,
      },
    });
    if (!tokens.ok) {
      return tokens;
    }
    const set = tokenSet(tokens.value, exchange.now, { refreshToken: null, refreshExpiresAt: null, scopes: [] });
    // Each permission has a box of its own on Google's page, and without both nothing can be posted.
    if (missingFrom(SCOPES, set.scopes).length > 0) {
      return failed(UNTICKED);
    }
    const channels = await channelsOf(client, set);
    if (!channels.ok) {
      return channels;
    }
    const [first] = channels.value;
    return first
      ? succeeded({ externalId: first.id, displayName: first.snippet?.title ?? first.id, tokens: set })
      : failed(NO_CHANNEL);
  },

  async accounts(client, _app, tokens) {
    const channels = await channelsOf(client, tokens);
    if (!channels.ok) {
      return channels;
    }
    const missingScopes = missingFrom(SCOPES, tokens.scopes);
    return succeeded({
      accounts: channels.value.map((channel) => accountOf(channel, missingScopes)),
      unpostable: [],
    });
  },

  async refresh(client, app, tokens, now) {
    if (tokens.refreshToken === null) {
      return failed(reconnect("This login cannot be renewed. Connect the channel again.", { httpStatus: null }));
    }
    const answer = await requestTokens(client, {
      url: TOKEN_URL,
      fields: {
        grant_type: "refresh_token",
        refresh_token: tokens.refreshToken,
        client_id: app.clientId,
        client_secret: app.clientSecret,
      },
    });
    return answer.ok ? succeeded(tokenSet(answer.value, now, tokens)) : answer;
  },
  canRefresh: (tokens) => tokens.refreshToken !== null,
  refreshAheadMs: 10 * MINUTE,

  /** Google withdraws everything that the person gave this app, whichever token is named. */
  async revoke(client, _app, tokens) {
    const token = tokens.refreshToken ?? tokens.accessToken;
    await guarded(async () => succeeded(await call(client, REVOKE_URL, postForm({ token }))));
  },
};

const UNTICKED: Fault = rejected(
  "A permission was left out on Google's page. Connect again and tick both: uploading videos and viewing the channel.",
  { httpStatus: null },
  { code: "missing_scope", category: "auth" },
);

const NO_CHANNEL: Fault = rejected(
  "This Google account has no YouTube channel. Create one at YouTube, then connect again.",
  { httpStatus: null },
  { code: "no_channel", category: "permission" },
);

/** A refresh answers without a refresh token: the one there is stays good. */
function tokenSet(
  answer: TokenAnswer,
  now: number,
  before: Pick<TokenSet, "refreshToken" | "refreshExpiresAt" | "scopes">,
): TokenSet {
  return {
    accessToken: answer.accessToken,
    refreshToken: answer.refreshToken ?? before.refreshToken,
    expiresAt: expiry(now, answer.expiresInSeconds ?? 3600),
    // Told only while the app's consent screen is in testing: seven days.
    refreshExpiresAt: expiry(now, answer.refreshExpiresInSeconds) ?? before.refreshExpiresAt,
    scopes: answer.scopes ?? before.scopes,
  };
}

async function channelsOf(client: PlatformClient, tokens: TokenSet): Promise<Result<readonly Channel[]>> {
  return await guarded(async () => {
    const channels: Channel[] = [];
    let pageToken: string | undefined;
    for (let page = 0; page < MOST_PAGES; page++) {
      const url = withQuery(`${API}/channels`, {
        part: "snippet,contentDetails,status",
        mine: true,
        maxResults: 50,
        pageToken,
      });
      const answer = await call(client, url, { headers: bearer(tokens.accessToken) });
      const list = isOk(answer) ? read(ChannelList, answer) : undefined;
      if (!list) {
        return failed(
          isOk(answer)
            ? temporary("YouTube did not tell the channels of this login.", { httpStatus: answer.status })
            : toFault(answer, null),
        );
      }
      channels.push(...(list.items ?? []));
      pageToken = list.nextPageToken ?? undefined;
      if (pageToken === undefined) {
        break;
      }
    }
    return succeeded(channels);
  });
}

function accountOf(channel: Channel, missingScopes: readonly string[]): PostableAccount {
  const { snippet, contentDetails, status } = channel;
  const displayName = snippet?.title ?? channel.id;
  const handle = snippet?.customUrl ?? null;
  return {
    platformAccountId: channel.id,
    username: handle ?? displayName,
    displayName,
    avatarUrl: snippet?.thumbnails?.medium?.url ?? snippet?.thumbnails?.default?.url ?? null,
    profileUrl: handle
      ? `https://www.youtube.com/${handle.startsWith("@") ? handle : `@${handle}`}`
      : `https://www.youtube.com/channel/${channel.id}`,
    missingScopes,
    capabilities: {
      uploads: contentDetails?.relatedPlaylists?.uploads ?? null,
      longUploads: status?.longUploadsStatus ?? null,
    },
    token: null,
  };
}
