import { checkAppToken, graphShapeProblems, wrongProofQuestion } from "#platforms/graph-operator.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { graphOrigin, graphUrl } from "./hosts.ts";

export const operatorChecks: OperatorChecks = {
  shapeProblems: graphShapeProblems,

  reviewLevel: () => ({
    state: "unstated",
    sentence: "No setting says whether App Review is passed: until then only testers of the app connect",
  }),

  /**
   * https://developers.facebook.com/documentation/threads/get-started/app-access-tokens sends a GET with the secret in
   * the URL. This check sends a POST, which the endpoint accepts for codes. If it refuses the POST, the check reports
   * its words.
   */
  checkCredentials: async (client, app) => await checkAppToken(client, app, `${graphOrigin(app)}/oauth/access_token`),

  liveQuestions: [wrongProofQuestion(({ app }) => `${graphUrl(app)}/me`)],
};
