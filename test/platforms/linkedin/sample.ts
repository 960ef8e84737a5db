import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  TEXT_POST,
  tokenRefusal,
  tokenResponse,
} from "../../support/platform-sample.ts";
import { largeVideo } from "./large-video.ts";

const userInfo = { json: { sub: "782bbtaQ", name: "Ada", picture: "https://media.licdn.com/a.jpg" } };

export const sample: PlatformSample = {
  post: TEXT_POST,
  recorded: { settings: { PRODUCTS: "member,community" }, accounts: 2, video: () => largeVideo(5_000_000) },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "c", state: "s" },
        exchangeCode: {
          responses: [tokenResponse({ expires_in: 5_183_999, scope: "openid,profile,w_member_social" }), userInfo],
          refusals: [
            { name: "a used code", responses: [tokenRefusal("invalid_request")], fault: LOGIN_ENDED },
            { name: "a wrong secret", responses: [tokenRefusal("invalid_client", 401)], fault: APP_MISCONFIGURED },
          ],
        },
      },
    ],
    tokens: secretTokens(),
    listAccounts: {
      responses: [userInfo],
      refusals: [
        {
          name: "a revoked token",
          responses: [
            {
              status: 401,
              json: {
                serviceErrorCode: 65601,
                code: "REVOKED_ACCESS_TOKEN",
                message: "The token is revoked",
                status: 401,
              },
            },
          ],
          fault: LOGIN_ENDED,
        },
      ],
    },
    refresh: {
      responses: [tokenResponse({ expires_in: 5_183_999 })],
      refusals: [{ name: "an ended grant", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED }],
    },
    revoke: { responses: [200] },
  },
};
