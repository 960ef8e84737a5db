import { checkAnswer, judgeOAuth, refreshUnknownGrant } from "#platforms/credential-check.ts";
import { evidenceOf } from "#platforms/live-evidence.ts";
import type { ApiVersion, OperatorChecks } from "#platforms/contract.ts";
import { postJson } from "#platforms/request-encoding.ts";
import { callPlatform, isOk } from "#platforms/response.ts";
import { API_ORIGIN, apiVersionName, postUrl, restHeaders, restUrl, TOKEN_URL } from "./hosts.ts";

const VERSIONS_PAGE = "https://learn.microsoft.com/linkedin/marketing/integrations/migrations";

/**
 * A text with a backslash before each bracket: 4,000 characters for LinkedIn's API, 2,000 for a reader. It shows
 * whether escapes count.
 */
const BRACKETS = String.raw`\(`.repeat(2000);

/**
 * The last day of each API version, from copies of LinkedIn's page; since 202604 as
 * https://github.com/api-evangelist/linkedin-ads read it on 2026-08-13.
 */
const VERSION_ENDS: Readonly<Record<string, string>> = {
  "202511": "2026-11-16",
  "202601": "2027-01-15",
  "202602": "2027-02-15",
  "202603": "2027-03-16",
  "202604": "2027-04-15",
  "202605": "2027-05-15",
  "202606": "2027-06-15",
  "202607": "2027-07-15",
};

/**
 * The last day of a version. LinkedIn supports a version for at least a year
 * (https://learn.microsoft.com/linkedin/marketing/versioning), which is assumed for versions missing in the list.
 */
function versionOf(name: string): ApiVersion {
  const [, year, month] = /^(\d{4})(0[1-9]|1[0-2])$/.exec(name) ?? [];
  const aYearLater = year === undefined ? null : `${Number(year) + 1}-${month}-15`;
  return { name, endsOn: VERSION_ENDS[name] ?? aYearLater, source: VERSIONS_PAGE };
}

export const operatorChecks: OperatorChecks = {
  shapeProblems({ clientId, clientSecret }) {
    return [
      ...(/^[a-z0-9]{12,14}$/.test(clientId) ? [] : ["the client id is not 14 letters and digits"]),
      ...(/^(?:WPL_AP\d\..+|[A-Za-z0-9]{16})$/.test(clientSecret)
        ? []
        : ["the client secret is unlike those of LinkedIn"]),
    ];
  },

  reviewLevel: ({ settings }) =>
    (settings["PRODUCTS"] ?? "member").includes("community")
      ? {
          state: "unstated",
          sentence:
            "Pages: the Development tier until LinkedIn has approved the Standard tier of the Community Management API",
        }
      : {
          state: "none_needed",
          sentence: "Members only, without review; pages need LINKEDIN_PRODUCTS=community and an app of its own",
        },

  apiVersion: (app) => versionOf(apiVersionName(app)),

  /**
   * LinkedIn issues no token for an app alone. If it accepts the app, it complains about the refresh token;
   * `invalid_client` refuses the app (https://github.com/nextauthjs/next-auth/issues/7444).
   */
  checkCredentials: async (client, app) =>
    await checkAnswer(
      app,
      () => refreshUnknownGrant(client, TOKEN_URL, app),
      judgeOAuth({
        accepts: ({ error, description }) =>
          error === "invalid_grant" || (error === "invalid_request" && /token|grant/i.test(description)),
        refusals: ["invalid_client"],
      }),
    ),

  liveQuestions: [
    {
      id: "escapes",
      question: "Do escapes count against 3,000 characters?",
      writes: "a post of 2,000 brackets, outside of feeds, which is deleted at once",
      async ask(client, account) {
        const headers = restHeaders(account.app, account.accessToken);
        const posted = await callPlatform(
          client,
          `${API_ORIGIN}/rest/posts`,
          postJson(
            {
              author: account.platformAccountId,
              commentary: BRACKETS,
              visibility: "PUBLIC",
              distribution: { feedDistribution: "NONE", targetEntities: [], thirdPartyDistributionChannels: [] },
              lifecycleState: "PUBLISHED",
              isReshareDisabledByAuthor: true,
            },
            headers,
          ),
        );
        const call = "POST /rest/posts with 2,000 escaped brackets";
        const urn = posted.headers.get("x-restli-id");
        if (!isOk(posted) || urn === null) {
          return {
            conclusion: "They count, if the words are about the length; then nothing has to be set",
            evidence: [evidenceOf(call, posted, account)],
            leftBehind: isOk(posted) ? ["the post of 2,000 brackets, whose id LinkedIn did not name"] : [],
          };
        }
        const removed = await callPlatform(client, restUrl("posts", urn), { method: "DELETE", headers });
        return {
          conclusion: "They do not count: set LINKEDIN_CAPTION_COUNT=visible",
          evidence: [evidenceOf(call, posted, account), evidenceOf("DELETE /rest/posts/{urn}", removed, account)],
          leftBehind: isOk(removed) ? [] : [postUrl(urn)],
        };
      },
    },
  ],
};
