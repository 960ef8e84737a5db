import { fromBase64Url } from "#core/encoding.ts";
import { checkAnswer, judgeOAuth, refreshUnknownGrant } from "#platforms/credential-check.ts";
import { evidenceOf } from "#platforms/live-evidence.ts";
import { basicAuthorization } from "#platforms/oauth-token.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk } from "#platforms/response.ts";
import { API_ORIGIN, TOKEN_URL } from "./hosts.ts";

/** Matches an API key of OAuth 1.0a. The portal shows it beside the client id, and operators confuse the two. */
const CONSUMER_KEY = /^[A-Za-z0-9]{25}$/;

/** The kind of an app, from its client id. The id is base64: `…:1:ci` has a secret, `…:1:na` has none. */
function kindOf(clientId: string): string | null {
  try {
    const text = new TextDecoder().decode(fromBase64Url(clientId));
    return /:1:(?<kind>[a-z]{2})$/.exec(text)?.groups?.["kind"] ?? null;
  } catch {
    return null;
  }
}

export const operatorChecks: OperatorChecks = {
  shapeProblems({ clientId }) {
    if (CONSUMER_KEY.test(clientId)) {
      return ["this looks like the API key of OAuth 1.0a: take the OAuth 2.0 client id"];
    }
    const kind = kindOf(clientId);
    if (kind === "na") {
      return ["the app is a native or single-page app, which has no secret: make it a web app"];
    }
    return kind === null ? ["the client id is unlike those of OAuth 2.0 apps"] : [];
  },

  reviewLevel: () => ({
    state: "none_needed",
    sentence: "No review; every post is paid for in advance: set a spending cap",
  }),

  /**
   * An answer `invalid_request` about the token means that X knows the app
   * (https://github.com/unasuke/omniauth-twitter2/issues/4).
   */
  checkCredentials: async (client, app) =>
    await checkAnswer(
      app,
      () => refreshUnknownGrant(client, TOKEN_URL, app, basicAuthorization(app)),
      judgeOAuth({
        accepts: ({ error, description }) =>
          error === "invalid_grant" || (error === "invalid_request" && /token/i.test(description)),
        refusals: ["invalid_client", "unauthorized_client"],
      }),
    ),

  liveQuestions: [
    {
      id: "field-names",
      question: "Which spelling do the fields have?",
      writes: null,
      async ask(client, account) {
        const read = async (param: string) =>
          await callPlatform(
            client,
            withQuery(`${API_ORIGIN}/2/users/${encodeURIComponent(account.platformAccountId)}/tweets`, {
              [param]: "created_at",
              max_results: 5,
            }),
            { headers: bearerHeader(account.accessToken) },
          );
        const [post, tweet] = [await read("post.fields"), await read("tweet.fields")];
        const known = [...(isOk(post) ? ["post.fields"] : []), ...(isOk(tweet) ? ["tweet.fields"] : [])];
        return {
          conclusion:
            known.length === 0 ? "Neither was accepted" : `Accepted: ${known.join(" and ")}; this service sends either`,
          evidence: [
            evidenceOf("GET /2/users/{id}/tweets?post.fields=created_at", post, account),
            evidenceOf("GET /2/users/{id}/tweets?tweet.fields=created_at", tweet, account),
          ],
          leftBehind: [],
        };
      },
    },
  ],
};
