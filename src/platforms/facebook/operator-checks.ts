import { checkAppToken, graphShapeProblems, graphVersion } from "#platforms/graph-operator.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { apiVersion, graphUrl } from "./hosts.ts";

const VERSIONS_PAGE = "https://developers.facebook.com/docs/graph-api/changelog/versions/";

export const operatorChecks: OperatorChecks = {
  shapeProblems: graphShapeProblems,

  reviewLevel: () => ({
    state: "unstated",
    sentence:
      "No setting says whether App Review is passed: until then only people with a role on the app connect Pages and see what they post",
  }),

  apiVersion: (app) => graphVersion(apiVersion(app), VERSIONS_PAGE),

  /**
   * The app is refused by code 101 (https://github.com/sns-sdks/python-facebook/issues/271) and by code 1 about the
   * client secret (https://github.com/facebookarchive/php-graph-sdk/issues/538). The call works as a POST:
   * https://github.com/ciaranj/node-oauth/issues/12
   */
  checkCredentials: async (client, app) => await checkAppToken(client, app, `${graphUrl(app)}/oauth/access_token`),
};
