import { checkAnswer, judgeOAuth } from "#platforms/credential-check.ts";
import type { OperatorChecks } from "#platforms/operator-contract.ts";
import { postForm } from "#platforms/request-encoding.ts";
import { callPlatform } from "#platforms/response.ts";
import { TOKEN_URL } from "./hosts.ts";
import { isAudited } from "./scopes.ts";

export const operatorChecks: OperatorChecks = {
  shapeProblems({ clientId, clientSecret }) {
    return [
      ...(/^(?:aw|sb)[a-z0-9]{8,30}$/.test(clientId)
        ? []
        : ["the client key begins neither with aw nor, for a sandbox, with sb"]),
      ...(/^[A-Za-z0-9]{20,64}$/.test(clientSecret)
        ? []
        : ["the client secret has other characters than letters and digits"]),
    ];
  },

  reviewLevel: ({ settings }) =>
    isAudited(settings)
      ? { state: "passed", sentence: "Audited, as TIKTOK_AUDITED states" }
      : {
          state: "limited",
          sentence:
            "Not audited: posts are private (SELF_ONLY), from private accounts, five people a day; TIKTOK_AUDITED=true after the audit",
        },

  /**
   * A token of the app itself (https://developers.tiktok.com/doc/client-access-token-management). The refusal can come with 200
   * (https://github.com/HohnerJulian/ResearchTikPy/pull/28).
   */
  checkCredentials: async (client, app) =>
    await checkAnswer(
      app,
      () =>
        callPlatform(
          client,
          TOKEN_URL,
          postForm(
            { client_key: app.clientId, client_secret: app.clientSecret, grant_type: "client_credentials" },
            { "cache-control": "no-cache" },
          ),
        ),
      judgeOAuth({ accepts: ({ error, hasToken }) => error === "" && hasToken, refusals: ["invalid_client"] }),
    ),
};
