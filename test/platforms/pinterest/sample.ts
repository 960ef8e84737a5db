import { image } from "../../support/adapter-inputs.ts";
import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  tokenRefusal,
  tokenResponse,
} from "../../support/platform-sample.ts";

const user = { json: { id: "549755885175", username: "ada", business_name: "Ada" } };

export const sample: PlatformSample = {
  post: { media: [image()], files: ["portrait.jpg"], options: { board_ids: ["1"] } },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "c", state: "s" },
        exchangeCode: {
          responses: [tokenResponse({ refresh_token: "new-refresh-token", scope: "boards:read,pins:write" }), user],
          refusals: [
            {
              name: "a used code",
              responses: [{ status: 401, json: { code: 283, message: "The authorization grant is invalid" } }],
              fault: LOGIN_ENDED,
            },
            {
              name: "a wrong secret",
              responses: [{ status: 401, json: { code: 2, message: "Authentication failed." } }],
              fault: APP_MISCONFIGURED,
            },
          ],
        },
      },
    ],
    tokens: secretTokens(),
    listAccounts: {
      responses: [user],
      refusals: [
        {
          name: "a revoked token",
          responses: [{ status: 401, json: { code: 2, message: "Authentication failed." } }],
          fault: LOGIN_ENDED,
        },
      ],
    },
    refresh: {
      responses: [tokenResponse({ refresh_token: "new-refresh-token" })],
      refusals: [{ name: "an ended grant", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED }],
    },
    revoke: null,
  },
};
