import { image } from "../../support/adapter-inputs.ts";
import {
  APP_MISCONFIGURED,
  graphRefusal,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  tokenResponse,
} from "../../support/platform-sample.ts";
import type { ScriptedResponse } from "../../support/scripted-http-client.ts";

const me = { json: { id: "1", user_id: "17841400008460057", username: "ada", account_type: "BUSINESS" } };
const tokenHostRefusal = (error_message: string): ScriptedResponse => ({
  status: 400,
  json: { error_type: "OAuthException", code: 400, error_message },
});

export const sample: PlatformSample = {
  furtherKinds: [
    { title: "An image as a story", files: ["portrait.jpg"], options: { story: true } },
    { title: "An image with a first comment", files: ["portrait.jpg"], options: { first_comment: "Which glaze?" } },
  ],
  recorded: { settings: { EXTRA_SCOPES: "instagram_business_manage_comments" }, accounts: 1 },
  post: {
    media: [image()],
    files: ["portrait.jpg"],
    options: {},
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
            { json: { access_token: "short", user_id: 1, permissions: ["instagram_business_basic"] } },
            tokenResponse({ expires_in: 5_183_944 }),
            me,
          ],
          refusals: [
            {
              name: "a used code",
              responses: [tokenHostRefusal("Matching code was not found or was already used")],
              fault: LOGIN_ENDED,
            },
            {
              name: "a wrong secret",
              responses: [tokenHostRefusal("Error validating client secret")],
              fault: APP_MISCONFIGURED,
            },
          ],
        },
      },
    ],
    tokens: secretTokens({ refreshToken: null, extra: { login: "direct" } }),
    listAccounts: {
      responses: [me, { json: { followers_count: 1200 } }],
      optionalRequests: { 1: "the number of followers only serves to check trial reels early" },
      refusals: [{ name: "a revoked token", responses: [graphRefusal(190)], fault: LOGIN_ENDED }],
    },
    refresh: {
      responses: [tokenResponse({ expires_in: 5_183_944 })],
      refusals: [{ name: "an ended grant", responses: [graphRefusal(190)], fault: LOGIN_ENDED }],
    },
    // The direct login has no revoke call.
    revoke: { responses: [{ json: { success: true } }], tokens: { extra: { login: "page" } } },
  },
  otherLogins: [
    {
      file: "page",
      title: "with the login through a Facebook Page",
      settings: { LOGIN_VARIANT: "facebook", EXTRA_SCOPES: "instagram_manage_comments" },
    },
  ],
};
