import { fromBase64Url } from "#core/encoding.ts";
import type { ConnectCalls, Fault, PostableAccount, Result, TokenSet, PlatformClient } from "#platforms/contract.ts";
import { withExtraScopes } from "#platforms/extra-scopes.ts";
import { codeLogin } from "#platforms/code-login.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { catchConnectionErrors, findMissingScopes, requestTokens } from "#platforms/oauth-token.ts";
import { bearerHeader, postForm, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, readBody } from "#platforms/response.ts";
import { type Channel, ChannelList, IdTokenClaims, IdTokenResponse } from "./answers.ts";
import { toFault } from "./errors.ts";
import { API_URL, AUTHORIZE_URL, REVOKE_URL, TOKEN_URL } from "./hosts.ts";

const SCOPES = [
  "https://www.googleapis.com/auth/youtube.upload",
  "https://www.googleapis.com/auth/youtube.readonly",
] as const;
/**
 * The scopes that a login requests. `openid` identifies the Google user behind the channel, which posting itself does
 * not need.
 */
const LOGIN_SCOPES = ["openid", ...SCOPES] as const;
const MAX_PAGES = 10;

export const connect = {
  ...codeLogin({
    authorizeUrl: (app, request) =>
      withQuery(AUTHORIZE_URL, {
        client_id: app.clientId,
        redirect_uri: request.redirectUri,
        response_type: "code",
        scope: withExtraScopes(LOGIN_SCOPES, app).join(" "),
        state: request.state,
        // Google returns a refresh token only with both parameters, and on a repeated login only after
        // `prompt=consent`. Both values:
        // https://developers.google.com/identity/protocols/oauth2/web-server#creatingclient; why the second: README.
        access_type: "offline",
        prompt: "consent select_account",
        code_challenge: request.codeChallenge,
        code_challenge_method: "S256",
      }),
    request: (client, app, grant) =>
      requestTokens(client, {
        url: TOKEN_URL,
        fields: { ...grant, client_id: app.clientId, client_secret: app.clientSecret },
      }),
    exchangeFields: ({ codeVerifier }) => ({ code_verifier: codeVerifier }),
    accessSeconds: 3600,
    async identify(client, app, tokens, response) {
      // The user can deselect each permission on Google's page, but posting needs both.
      if (findMissingScopes(SCOPES, tokens.scopes).length > 0) {
        return failed(MISSING_PERMISSION_FAULT);
      }
      const channels = await listChannels(client, tokens);
      if (!channels.ok) {
        return channels;
      }
      const [first] = channels.value;
      return first
        ? succeeded({
            externalId: first.id,
            // Google has one grant per user and app, which all channels of the user share.
            grantOwner: readSubject(response.json, app.clientId),
            displayName: first.snippet?.title ?? first.id,
          })
        : failed(NO_CHANNEL_FAULT);
    },
  }),

  listAccounts: async (client, _app, tokens) => {
    const channels = await listChannels(client, tokens);
    if (!channels.ok) {
      return channels;
    }
    const missingScopes = findMissingScopes(SCOPES, tokens.scopes);
    return succeeded({
      accounts: channels.value.map((channel) => toPostableAccount(channel, missingScopes)),
      unpostable: [],
    });
  },

  /** Revokes the login. With either token, Google revokes every permission that the user granted to this app. */
  revoke: async (client, _app, tokens) => {
    const token = tokens.refreshToken ?? tokens.accessToken;
    await catchConnectionErrors(async () => succeeded(await callPlatform(client, REVOKE_URL, postForm({ token }))));
  },
} satisfies ConnectCalls;

const MISSING_PERMISSION_FAULT: Fault = rejected(
  "A permission was not granted on Google's page. Connect again and select both: uploading videos and viewing the channel.",
  { httpStatus: null },
  { code: "missing_scope", category: "auth" },
);

const NO_CHANNEL_FAULT: Fault = rejected(
  "This Google account has no YouTube channel. Create one at YouTube, then connect again.",
  { httpStatus: null },
  { code: "no_channel", category: "permission" },
);

async function listChannels(client: PlatformClient, tokens: TokenSet): Promise<Result<readonly Channel[]>> {
  return await catchConnectionErrors(async () => {
    const channels: Channel[] = [];
    let pageToken: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = withQuery(`${API_URL}/channels`, {
        part: "snippet,contentDetails,status",
        mine: true,
        maxResults: 50,
        pageToken,
      });
      const response = await callPlatform(client, url, { headers: bearerHeader(tokens.accessToken) });
      const missing = "YouTube did not list the channels of this login.";
      const list = readBody(ChannelList, response, missing, (refusal) => toFault(refusal, null));
      if (!list.ok) {
        return list;
      }
      channels.push(...(list.value.items ?? []));
      pageToken = list.value.nextPageToken ?? undefined;
      if (pageToken === undefined) {
        break;
      }
    }
    return succeeded(channels);
  });
}

function toPostableAccount(channel: Channel, missingScopes: readonly string[]): PostableAccount {
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

/**
 * Google's id of the user, from the ID token of a token response. Null if it has none for this app. The signature need
 * not be checked, because the token comes from the token endpoint over TLS (OpenID Connect Core 1.0, section 3.1.3.7,
 * point 6): https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 */
function readSubject(tokenResponse: unknown, clientId: string): string | null {
  const response = IdTokenResponse.safeParse(tokenResponse).data;
  const claims = IdTokenClaims.safeParse(decodePayload(response?.id_token ?? "")).data;
  return claims?.aud === clientId ? claims.sub : null;
}

function decodePayload(jwt: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(fromBase64Url(jwt.split(".")[1] ?? "")));
  } catch {
    return null;
  }
}
