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
   * https://developers.facebook.com/documentation/threads/get-started/app-access-tokens shows it as a GET with the secret in the
   * address; the endpoint takes codes by POST, and an answer that it does not take this so is told with its words.
   */
  checkCredentials: async (client, app) => await checkAppToken(client, app, `${graphOrigin(app)}/oauth/access_token`),

  liveQuestions: [wrongProofQuestion(({ app }) => `${graphUrl(app)}/me`)],
};
