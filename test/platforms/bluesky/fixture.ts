import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Job } from "#platforms/contract.ts";
import { accountAccess, job, type JobOverrides, NOW } from "../../support/adapter-inputs.ts";
import type { ScriptedResponse } from "../../support/scripted-http-client.ts";

/* Answers in the shape of PDS 0.5.29 and its OAuth provider 0.22.3, from docs/platforms/facts. */

export const DID = "did:plc:ewvi7nxzyoun6zhxrhs64oiz";
export const HANDLE = "ada.bsky.social";
export const PDS = "https://shimeji.us-east.host.bsky.network";
export const ISSUER = "https://bsky.social";
export const SCOPES = [
  "atproto",
  "repo:app.bsky.feed.post?action=create",
  "blob:image/*",
  "blob:video/*",
  "rpc:com.atproto.repo.uploadBlob?aud=*",
  "rpc:app.bsky.video.getUploadLimits?aud=*",
];

/** Made for these tests. */
export const PROOF_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "qmlAwRhPCCw7bNLvijpPmYKSS1zlWvNb1H4IAB9doUI",
  y: "ypJdUg4nhZ-mdJ0tiOHBdiFrzqFSr52L6tIw9wyhupU",
  d: "gbG8CtH4qhVTK8ddx842EjiorNRTW8LWDbeoP9gwF1Y",
};
export const CLIENT_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "7dgBHa7PYZwaxh7MMGbYTzh0i0Z36YUrt5h04ql3ODQ",
  y: "aNr0C0iwGU0-SWIfww4iicCgQSEGnxG2BX2od-GaiUg",
  d: "vefKO4CZPyOYFAfsZ5hOBy7gCAoukN2A7TDKrOiIjS4",
};

/** `TokenSet.extra` of a browser login. */
export const OAUTH_EXTRA = {
  method: "oauth",
  did: DID,
  pds: PDS,
  issuer: ISSUER,
  clientId: "https://a.example.com/client-metadata.json",
  key: PROOF_KEY,
  startedAt: NOW,
  revocationEndpoint: `${ISSUER}/oauth/revoke`,
} as const;

const PASSWORD_EXTRA = { method: "app_password", did: DID, pds: PDS } as const;

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): ScriptedResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  json: body,
});

/** An error as an account's server writes it. */
export const xrpcError = (status: number, error: string, message = "Not accepted"): ScriptedResponse =>
  json({ error, message }, status);

export const oauthError = (error: string, status = 400): ScriptedResponse =>
  json({ error, error_description: "not accepted" }, status);

export const didDocument = (overrides: JsonObject = {}) => ({
  id: DID,
  alsoKnownAs: [`at://${HANDLE}`],
  service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: PDS }],
  ...overrides,
});

export const protectedResource = (overrides: JsonObject = {}) => ({
  resource: PDS,
  authorization_servers: [ISSUER],
  ...overrides,
});

export const serverMetadata = (overrides: JsonObject = {}) => ({
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/oauth/authorize`,
  token_endpoint: `${ISSUER}/oauth/token`,
  pushed_authorization_request_endpoint: `${ISSUER}/oauth/par`,
  revocation_endpoint: `${ISSUER}/oauth/revoke`,
  client_id_metadata_document_supported: true,
  require_pushed_authorization_requests: true,
  authorization_response_iss_parameter_supported: true,
  code_challenge_methods_supported: ["S256"],
  dpop_signing_alg_values_supported: ["ES256", "ES256K"],
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  scopes_supported: ["atproto", "transition:generic"],
  ...overrides,
});

export const RESOLVED = json({ did: DID });
export const DOCUMENT = json(didDocument());
export const RESOURCE = json(protectedResource());
export const SERVER = json(serverMetadata());
export const PUSHED = json({ request_uri: "urn:ietf:params:oauth:request_uri:req-0123", expires_in: 299 }, 201);
export const tokenAnswer = (overrides: JsonObject = {}) =>
  json({
    access_token: "new-access-token",
    token_type: "DPoP",
    refresh_token: "new-refresh-token",
    scope: SCOPES.join(" "),
    expires_in: 3600,
    sub: DID,
    ...overrides,
  });

export const BLOB = {
  $type: "blob",
  ref: { $link: "bafkreidxlfhfyojdfhqekxwz6xqtpdrwqpjpaeryb3nwydbkbzjvkgptle" },
  mimeType: "image/jpeg",
  size: 1000,
} as const;

export function blueskyAccount(extra: JsonObject = OAUTH_EXTRA): AccountAccess {
  return accountAccess({ platformAccountId: DID, username: HANDLE, extra });
}

/** A job of the account with an app password, whose calls need no proofs. */
export function blueskyJob(overrides: JobOverrides = {}): Job {
  return job({ account: blueskyAccount(PASSWORD_EXTRA), ...overrides });
}
