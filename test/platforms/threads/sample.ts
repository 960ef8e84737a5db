import {
  APP_MISCONFIGURED,
  graphRefusal,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  TEXT_POST,
  tokenResponse,
} from "../../support/platform-sample.ts";

const me = { json: { id: "17841405793187219", username: "ada", name: "Ada" } };

export const sample: PlatformSample = {
  furtherKinds: [{ title: "A thread of two parts", files: [], options: { thread: [{ caption: "Its second part" }] } }],
  recorded: { settings: { EXTRA_SCOPES: "threads_manage_replies,threads_read_replies" }, accounts: 1 },
  post: {
    ...TEXT_POST,
    otherLimits: [
      {
        name: "an account with its own daily cap",
        capabilities: { publishingLimit: { total: 7, windowSeconds: 86_400 } },
      },
    ],
  },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "c#_", state: "s" },
        exchangeCode: {
          responses: [
            { json: { access_token: "short", user_id: 1 } },
            tokenResponse({ expires_in: 5_183_944 }),
            me,
            { json: { data: [{ quota_usage: 0, config: { quota_total: 250, quota_duration: 86_400 } }] } },
          ],
          optionalRequests: { 3: "without the granted scopes all are assumed, and a post reports a missing one" },
          refusals: [
            { name: "a used code", responses: [graphRefusal(100)], fault: LOGIN_ENDED },
            { name: "an unknown app", responses: [graphRefusal(101)], fault: APP_MISCONFIGURED },
          ],
        },
      },
    ],
    tokens: secretTokens({ refreshToken: null }),
    listAccounts: {
      responses: [me],
      refusals: [{ name: "a revoked token", responses: [graphRefusal(190)], fault: LOGIN_ENDED }],
    },
    refresh: {
      responses: [tokenResponse({ expires_in: 5_183_944 })],
      refusals: [{ name: "an ended grant", responses: [graphRefusal(190)], fault: LOGIN_ENDED }],
    },
    revoke: null,
  },
};
