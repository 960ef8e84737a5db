import { z } from "@hono/zod-openapi";
import { checkAnswer, UNKNOWN_GRANT } from "#platforms/credential-check.ts";
import { graphError } from "#platforms/graph-api.ts";
import { checkAppToken, graphShapeProblems, graphVersion, wrongProofQuestion } from "#platforms/graph-operator.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { postForm } from "#platforms/request-encoding.ts";
import { callPlatform, parseBody } from "#platforms/response.ts";
import { apiVersion, graphUrl, loginVariant, pageLoginDialog, TOKEN_URL } from "./hosts.ts";

const VERSIONS_PAGE = "https://developers.facebook.com/docs/graph-api/changelog/versions/";

const ErrorBody = z.looseObject({ error_message: z.string() });

/**
 * Error texts about the app: "Invalid platform app" (https://github.com/pdir/social-feed-bundle/issues/105), "Invalid
 * Client ID", "Error validating client secret".
 */
const ABOUT_APP = /invalid platform app|(?:invalid|validating) client (?:id|secret)/i;
/**
 * Error texts about the code: "Invalid authorization code"
 * (https://github.com/loicnestler/instagram-basic-display/issues/1), "Error validating verification code".
 */
const ABOUT_CODE = /(?:authorization|verification|matching) code/i;

export const operatorChecks: OperatorChecks = {
  shapeProblems: graphShapeProblems,

  reviewLevel: () => ({
    state: "unstated",
    sentence:
      "No setting says whether Advanced Access is given: until then only accounts with a role on the app connect",
  }),

  apiVersion: (app) => graphVersion(apiVersion(app), VERSIONS_PAGE),

  /** Instagram Login issues no token for an app alone. If it accepts the app, it complains about the code. */
  async checkCredentials(client, app, { redirectUri }) {
    if (loginVariant(app) === "page") {
      return await checkAppToken(client, app, `${pageLoginDialog(app, []).graphUrl}/oauth/access_token`);
    }
    const fields = {
      client_id: app.clientId,
      client_secret: app.clientSecret,
      grant_type: "authorization_code",
      redirect_uri: redirectUri,
      code: UNKNOWN_GRANT,
    };
    return await checkAnswer(
      app,
      () => callPlatform(client, TOKEN_URL, postForm(fields)),
      (response) => {
        const words = parseBody(ErrorBody, response)?.error_message ?? graphError(response)?.message ?? "";
        if (ABOUT_APP.test(words)) {
          return { state: "refused", words };
        }
        return { state: ABOUT_CODE.test(words) ? "accepted" : "unknown", words };
      },
    );
  },

  liveQuestions: [wrongProofQuestion((account) => `${graphUrl(account)}/me`)],
};
