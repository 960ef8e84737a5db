import {
  APP_MISCONFIGURED,
  graphRefusal,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  TEXT_POST,
  tokenResponse,
} from "../../support/platform-sample.ts";

export const sample: PlatformSample = {
  post: {
    ...TEXT_POST,
    otherLimits: [
      {
        name: "a Page with the rights for covers",
        capabilities: { extraScopes: ["pages_manage_engagement", "pages_read_user_content"] },
      },
    ],
  },
  furtherKinds: [
    { title: "A video on the timeline", files: ["portrait.mp4"], options: { placement: "timeline" } },
    { title: "An image as a story", files: ["portrait.jpg"], options: { story: true } },
    { title: "A video as a story", files: ["portrait.mp4"], options: { story: true } },
    { title: "A text with a first comment", files: [], options: { first_comment: "Which glaze?" } },
  ],
  recorded: { settings: { EXTRA_SCOPES: "pages_manage_engagement" }, accounts: 1 },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "c#_=_", state: "s" },
        exchangeCode: {
          responses: [
            tokenResponse({ access_token: "short" }),
            tokenResponse({ expires_in: 5_183_944 }),
            { json: { id: "102030405060708", name: "Ada" } },
            { json: { data: [{ permission: "pages_manage_posts", status: "granted" }] } },
          ],
          refusals: [
            { name: "a used code", responses: [graphRefusal(100)], fault: LOGIN_ENDED },
            { name: "an unknown app", responses: [graphRefusal(101)], fault: APP_MISCONFIGURED },
          ],
        },
      },
    ],
    tokens: secretTokens({ refreshToken: null }),
    listAccounts: {
      responses: [
        { json: { data: [{ id: "1", name: "Page", access_token: "page-token", tasks: ["CREATE_CONTENT"] }] } },
      ],
      refusals: [{ name: "a revoked token", responses: [graphRefusal(190)], fault: LOGIN_ENDED }],
    },
    refresh: {
      responses: [tokenResponse({ expires_in: 5_183_944 })],
      refusals: [{ name: "an ended grant", responses: [graphRefusal(190)], fault: LOGIN_ENDED }],
    },
    revoke: { responses: [{ json: { success: true } }] },
  },
};
