import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  TEXT_POST,
  tokenRefusal,
} from "../../support/platform-sample.ts";
import { APP, EXTRA, HOST, INSTANCE, mastodonAccount, PROFILE, SCOPES, TOKEN } from "./fixture.ts";

const { platformAccountId, username, extra } = mastodonAccount();

export const sample: PlatformSample = {
  furtherKinds: [{ title: "A thread of two parts", files: [], options: { thread: [{ caption: "Its second part" }] } }],
  post: {
    ...TEXT_POST,
    account: { platformAccountId, username, extra },
    otherLimits: [
      {
        name: "a server with its own limits",
        capabilities: {
          maxCharacters: 1000,
          maxMedia: 8,
          imageSizeLimit: 5_000_000,
          descriptionLimit: 420,
          frameRate: 60,
        },
      },
    ],
  },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: { server: HOST },
        start: {
          responses: [{ json: INSTANCE }, { json: APP }],
          refusals: [
            {
              name: "another program with the same API",
              responses: [{ json: { ...INSTANCE, version: "2.7.2 (compatible; Pleroma 2.9.1)", api_versions: null } }],
              fault: { kind: "rejected", code: "login_refused" },
            },
            {
              name: "no server of this kind",
              responses: [404],
              fault: { kind: "rejected", code: "login_refused" },
            },
            {
              name: "too many registrations",
              responses: [{ json: INSTANCE }, { status: 429, json: { error: "Too many requests" } }],
              fault: { kind: "rate_limited", code: "rate_limited" },
            },
            {
              name: "a refused registration",
              responses: [{ json: INSTANCE }, { status: 422, json: { error: "Validation failed: Redirect URI" } }],
              fault: APP_MISCONFIGURED,
            },
          ],
        },
        params: { code: "some-code", state: "s" },
        exchangeCode: {
          responses: [{ json: TOKEN }, { json: PROFILE }],
          refusals: [
            { name: "a used code", responses: [tokenRefusal("invalid_grant")], fault: LOGIN_ENDED },
            {
              name: "an app that the server forgot",
              responses: [tokenRefusal("invalid_client", 401)],
              fault: { kind: "rejected", code: "login_refused" },
            },
          ],
        },
      },
    ],
    tokens: secretTokens({ refreshToken: null, expiresAt: null, scopes: SCOPES, hosts: [HOST], extra: EXTRA }),
    listAccounts: {
      responses: [{ json: PROFILE }, { json: INSTANCE }],
      refusals: [
        {
          name: "a revoked token",
          responses: [{ status: 401, json: { error: "The access token was revoked" } }],
          fault: LOGIN_ENDED,
        },
        {
          name: "a missing scope",
          responses: [{ status: 403, json: { error: "This action is outside the authorized scopes" } }],
          fault: { kind: "reconnect", code: "missing_scope" },
        },
      ],
    },
    refresh: null,
    revoke: { responses: [{ json: {} }] },
  },
};
