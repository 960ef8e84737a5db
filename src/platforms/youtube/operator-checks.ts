import { checkAnswer, judgeOAuth, refreshUnknownGrant } from "#platforms/credential-check.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { TOKEN_URL } from "./hosts.ts";

export const operatorChecks: OperatorChecks = {
  shapeProblems({ clientId, clientSecret }) {
    return [
      ...(/^\d+-[a-z0-9]+\.apps\.googleusercontent\.com$/.test(clientId)
        ? []
        : ["the client id does not end in .apps.googleusercontent.com"]),
      ...(/^(?:GOCSPX-)?[\w-]{24,40}$/.test(clientSecret) ? [] : ["the client secret is unlike those of Google"]),
    ];
  },

  reviewLevel: () => ({
    state: "unstated",
    sentence:
      "No setting says whether the consent screen is in production: in Testing logins end after seven days, 100 people",
  }),

  /**
   * Google's error words tell whether it accepts the app. Scanners for leaked secrets read them the same way:
   * https://github.com/trufflesecurity/trufflehog/pull/5030
   */
  checkCredentials: async (client, app) =>
    await checkAnswer(
      app,
      () => refreshUnknownGrant(client, TOKEN_URL, app),
      judgeOAuth({
        accepts: ({ error }) => error === "invalid_grant",
        refusals: ["invalid_client", "unauthorized_client", "deleted_client", "disabled_client"],
      }),
    ),
};
