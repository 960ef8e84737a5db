import { video } from "../../support/adapter-inputs.ts";
import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  tokenRefusal,
  tokenResponse,
} from "../../support/platform-sample.ts";

const SCOPES = ["user.info.basic", "video.publish", "video.upload", "video.list"];
const noError = { code: "ok", message: "", log_id: "1" };
const user = { json: { data: { user: { open_id: "-000Abc", display_name: "Ada" } }, error: noError } };
const creator = {
  json: {
    data: { creator_username: "ada", privacy_level_options: ["SELF_ONLY"], max_video_post_duration_sec: 600 },
    error: noError,
  },
};

export const sample: PlatformSample = {
  post: {
    media: [video({ width: 1080, height: 1920 })],
    files: ["portrait.mp4"],
    options: {},
    settings: { AUDITED: "true" },
    otherLimits: [{ name: "an account for short videos", capabilities: { maxVideoSeconds: 60 } }],
  },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "c", scopes: SCOPES.join(","), state: "s" },
        exchangeCode: {
          responses: [
            tokenResponse({ open_id: "-000Abc", refresh_token: "new-refresh-token", scope: SCOPES.join(",") }),
            user,
          ],
          refusals: [
            { name: "a used code", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED },
            { name: "a wrong secret", responses: [tokenRefusal("invalid_client", 401)], fault: APP_MISCONFIGURED },
          ],
        },
      },
    ],
    tokens: secretTokens({ scopes: SCOPES }),
    listAccounts: {
      responses: [user, creator],
      partialRequests: { 1: "what the account may do is read again before every preview" },
      refusals: [
        {
          name: "a revoked token",
          responses: [{ status: 401, json: { error: { ...noError, code: "access_token_invalid" } } }],
          fault: LOGIN_ENDED,
        },
        {
          name: "a missing scope, sent with status 200",
          responses: [user, { json: { error: { ...noError, code: "scope_not_authorized" } } }],
          fault: { kind: "reconnect", code: "missing_scope" },
        },
      ],
    },
    refresh: {
      responses: [tokenResponse({ refresh_token: "new-refresh-token" })],
      refusals: [{ name: "an ended grant", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED }],
    },
    revoke: { responses: [200] },
  },
};
