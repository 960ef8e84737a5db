import { checkAnswer, judgeOAuth } from "#platforms/credential-check.ts";
import { evidenceOf } from "#platforms/live-evidence.ts";
import type { OperatorChecks } from "#platforms/contract.ts";
import { postForm } from "#platforms/request-encoding.ts";
import { callPlatform } from "#platforms/response.ts";
import { TOKEN_URL, isAudited } from "./hosts.ts";
import { callApi, isSuccess } from "./api.ts";

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
   * Request a token for the app itself (https://developers.tiktok.com/doc/client-access-token-management). The refusal
   * can have status 200 (https://github.com/HohnerJulian/ResearchTikPy/pull/28).
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

  liveQuestions: [
    {
      id: "small-videos-in-chunks",
      question: "Are small videos taken in several chunks?",
      writes: "announces a private video of 20 MB that is never uploaded; TikTok forgets it within an hour",
      async ask(client, account) {
        const response = await callApi(client, "/v2/post/publish/video/init/", account.accessToken, {
          post_info: { privacy_level: "SELF_ONLY", title: "" },
          source_info: {
            source: "FILE_UPLOAD",
            video_size: 20_000_000,
            chunk_size: 10_000_000,
            total_chunk_count: 2,
          },
        });
        return {
          conclusion: isSuccess(response)
            ? "They are: one chunk up to 64,000,000 bytes stays the safer form"
            : "They are not, or this account may not post at the moment: the words tell which",
          evidence: [evidenceOf("POST /v2/post/publish/video/init/, 20 MB in two chunks", response, account)],
          leftBehind: [],
        };
      },
    },
  ],
};
