import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  TEXT_POST,
  tokenRefusal,
  tokenResponse,
} from "../../support/platform-sample.ts";

const me = { json: { data: { id: "2244994945", name: "Ada", username: "ada" } } };

export const sample: PlatformSample = {
  furtherKinds: [{ title: "A thread of two parts", files: [], options: { thread: [{ caption: "Its second part" }] } }],
  post: {
    ...TEXT_POST,
    otherLimits: [{ name: "an account with a subscription", capabilities: { subscriptionType: "Premium" } }],
  },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "c", state: "s" },
        exchangeCode: {
          responses: [tokenResponse({ refresh_token: "new-refresh-token", scope: "tweet.read" }), me],
          refusals: [
            { name: "a used code", responses: [tokenRefusal("invalid_request")], fault: LOGIN_ENDED },
            { name: "a wrong secret", responses: [tokenRefusal("invalid_client", 401)], fault: APP_MISCONFIGURED },
          ],
        },
      },
    ],
    tokens: secretTokens(),
    listAccounts: {
      responses: [me],
      refusals: [
        {
          name: "a revoked token",
          responses: [{ status: 401, json: { title: "Unauthorized", type: "about:blank", status: 401 } }],
          fault: LOGIN_ENDED,
        },
      ],
    },
    refresh: {
      responses: [tokenResponse({ refresh_token: "new-refresh-token" })],
      refusals: [{ name: "an ended grant", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED }],
    },
    revoke: { responses: [{ json: { revoked: true } }, { json: { revoked: true } }] },
  },
};
