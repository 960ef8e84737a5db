import { FORCE_SSL_SCOPE } from "#platforms/youtube/limits.ts";
import { video } from "../../support/adapter-inputs.ts";
import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  tokenRefusal,
  tokenResponse,
} from "../../support/platform-sample.ts";

const SCOPES = "https://www.googleapis.com/auth/youtube.upload https://www.googleapis.com/auth/youtube.readonly";
const channels = { json: { items: [{ id: "UC-ada", snippet: { title: "Ada", customUrl: "@ada" } }] } };

export const sample: PlatformSample = {
  furtherKinds: [
    {
      title: "A video with a playlist and a first comment",
      files: ["portrait.mp4"],
      options: { playlist_ids: ["PLada0000000000000000000_1"], first_comment: "Which glaze?" },
    },
  ],
  recorded: { settings: { EXTRA_SCOPES: FORCE_SSL_SCOPE }, accounts: 1 },
  post: {
    otherLimits: [{ name: "a channel that is not verified", capabilities: { longUploads: "disallowed" } }],
    media: [video({ width: 1080, height: 1920 })],
    files: ["portrait.mp4"],
    options: { title: "A title" },
  },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: {},
        start: null,
        params: { code: "4/c", scope: SCOPES, state: "s" },
        exchangeCode: {
          responses: [tokenResponse({ refresh_token: "new-refresh-token", scope: SCOPES }), channels],
          refusals: [
            { name: "a used code", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED },
            { name: "a wrong secret", responses: [tokenRefusal("invalid_client", 401)], fault: APP_MISCONFIGURED },
            {
              name: "a deselected permission",
              responses: [tokenResponse({ scope: "https://www.googleapis.com/auth/youtube.readonly" })],
              fault: { kind: "rejected", code: "missing_scope" },
            },
            {
              name: "a login without a channel",
              responses: [tokenResponse({ scope: SCOPES }), { json: {} }],
              fault: { kind: "rejected", code: "no_channel" },
            },
          ],
        },
      },
    ],
    tokens: secretTokens(),
    listAccounts: {
      responses: [channels],
      refusals: [
        {
          name: "a revoked token",
          responses: [
            { status: 401, json: { error: { code: 401, message: "Invalid", errors: [{ reason: "authError" }] } } },
          ],
          fault: LOGIN_ENDED,
        },
      ],
    },
    refresh: {
      responses: [tokenResponse({ expires_in: 3599 })],
      refusals: [{ name: "an ended grant", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED }],
    },
    revoke: { responses: [200] },
  },
};
