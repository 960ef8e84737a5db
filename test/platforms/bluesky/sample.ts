import {
  APP_MISCONFIGURED,
  LOGIN_ENDED,
  type PlatformSample,
  secretTokens,
  TEXT_POST,
} from "../../support/platform-sample.ts";
import {
  DID,
  DOCUMENT,
  didDocument,
  HANDLE,
  ISSUER,
  json,
  OAUTH_EXTRA,
  oauthError,
  protectedResource,
  PUSHED,
  RESOLVED,
  RESOURCE,
  SCOPES,
  SERVER,
  serverMetadata,
  tokenAnswer,
  xrpcError,
} from "./fixture.ts";

const SESSION = json({ did: DID, handle: HANDLE, active: true });
const PROFILE = json({ did: DID, handle: HANDLE, displayName: "Ada" });

export const sample: PlatformSample = {
  furtherKinds: [{ title: "A thread of two parts", files: [], options: { thread: [{ caption: "Its second part" }] } }],
  post: {
    ...TEXT_POST,
    account: { platformAccountId: DID, username: HANDLE },
    otherLimits: [{ name: "an operator with longer videos", settings: { VIDEO_MAX_SECONDS: "600" } }],
  },
  connect: {
    methods: [
      {
        kind: "oauth",
        input: { handle: `@${HANDLE.toUpperCase()}` },
        start: {
          responses: [RESOLVED, DOCUMENT, RESOURCE, SERVER, PUSHED],
          refusals: [
            {
              name: "an unknown handle",
              responses: [xrpcError(400, "InvalidRequest", "Unable to resolve handle")],
              fault: { kind: "rejected", code: "identity_not_found" },
            },
            {
              name: "a handle that the account does not claim",
              responses: [RESOLVED, json(didDocument({ alsoKnownAs: ["at://eve.example.com"] }))],
              fault: { kind: "rejected", code: "identity_not_found" },
            },
            {
              name: "two authorization servers",
              responses: [
                RESOLVED,
                DOCUMENT,
                json(protectedResource({ authorization_servers: [ISSUER, "https://b.example.com"] })),
              ],
              fault: { kind: "rejected", code: "server_unsupported" },
            },
            {
              name: "metadata of another issuer",
              responses: [RESOLVED, DOCUMENT, RESOURCE, json(serverMetadata({ issuer: "https://b.example.com" }))],
              fault: { kind: "rejected", code: "server_unsupported" },
            },
            {
              name: "a client document that the server cannot read",
              responses: [RESOLVED, DOCUMENT, RESOURCE, SERVER, oauthError("invalid_client_metadata")],
              fault: APP_MISCONFIGURED,
            },
          ],
        },
        params: { code: "cod-0123", state: "s", iss: ISSUER },
        exchangeCode: {
          responses: [tokenAnswer(), DOCUMENT, RESOURCE, SERVER],
          refusals: [
            { name: "a used code", responses: [oauthError("invalid_grant")], fault: LOGIN_ENDED },
            { name: "a refused assertion", responses: [oauthError("invalid_client")], fault: APP_MISCONFIGURED },
            {
              name: "a proof that is refused",
              responses: [oauthError("invalid_dpop_proof", 401)],
              fault: APP_MISCONFIGURED,
            },
            {
              name: "another account",
              responses: [tokenAnswer({ sub: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa" })],
              fault: { kind: "rejected", code: "login_refused" },
            },
            {
              name: "a bearer token",
              responses: [tokenAnswer({ token_type: "Bearer" })],
              fault: { kind: "rejected", code: "server_unsupported" },
            },
          ],
        },
      },
      {
        kind: "credentials",
        values: { identifier: HANDLE, app_password: "abcd-efgh-ijkl-mnop" },
        signIn: {
          responses: [
            RESOLVED,
            DOCUMENT,
            json({ accessJwt: "new-access-token", refreshJwt: "new-refresh-token", did: DID, handle: HANDLE }),
          ],
          refusals: [
            {
              name: "a wrong password",
              responses: [
                RESOLVED,
                DOCUMENT,
                xrpcError(401, "AuthenticationRequired", "Invalid identifier or password"),
              ],
              fault: { kind: "rejected", code: "login_refused" },
            },
          ],
        },
      },
    ],
    tokens: secretTokens({
      scopes: SCOPES,
      extra: OAUTH_EXTRA,
      hosts: [new URL(OAUTH_EXTRA.pds).hostname, new URL(ISSUER).hostname],
    }),
    listAccounts: {
      responses: [SESSION, PROFILE],
      refusals: [
        { name: "an ended session", responses: [xrpcError(401, "invalid_token")], fault: LOGIN_ENDED },
        {
          name: "an account that was taken down",
          responses: [xrpcError(401, "AccountTakedown")],
          fault: { kind: "reconnect", code: "account_restricted" },
        },
        {
          name: "a missing permission",
          responses: [xrpcError(403, "ScopeMissingError", 'Missing required scope "blob:image/png"')],
          fault: { kind: "reconnect", code: "missing_scope" },
        },
      ],
    },
    refresh: {
      responses: [DOCUMENT, RESOURCE, SERVER, tokenAnswer()],
      refusals: [
        {
          name: "an ended grant",
          responses: [DOCUMENT, RESOURCE, SERVER, oauthError("invalid_grant")],
          fault: LOGIN_ENDED,
        },
        {
          name: "an account that moved",
          responses: [
            json(
              didDocument({
                service: [
                  { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: "https://pds.example.com" },
                ],
              }),
            ),
          ],
          fault: LOGIN_ENDED,
        },
        {
          name: "a client document that the server cannot read",
          responses: [DOCUMENT, RESOURCE, SERVER, oauthError("invalid_client_metadata")],
          fault: APP_MISCONFIGURED,
        },
        {
          name: "an account that cannot be looked up",
          responses: [404],
          fault: { kind: "temporary", code: "identity_not_found" },
        },
      ],
    },
    revoke: { responses: [json({})] },
  },
};
