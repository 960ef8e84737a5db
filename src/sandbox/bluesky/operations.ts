import type { Operation, OperationRules } from "#sandbox/operation.ts";
import { APP_VIEW, DIRECTORY, ENTRYWAY, TEST_USERS, VIDEO_SERVICE } from "./test-users.ts";

/* The calls that Bluesky's servers accept: OAuth from the specification of atproto, XRPC from the lexicons.
   post-record.ts checks the fields of a record. */

const PDS = [TEST_USERS.ada.pds.host, TEST_USERS.ben.pds.host];
const PDS_AND_ENTRYWAY = [...PDS, ENTRYWAY];
const AUTHORIZATION_SERVERS = [ENTRYWAY, TEST_USERS.ben.pds.host];
const OAUTH_SPEC = "https://atproto.com/specs/oauth";
const LEXICONS = "https://github.com/bluesky-social/atproto/blob/main/lexicons";

/**
 * Members that every form may have, because they identify the client
 * (https://www.rfc-editor.org/rfc/rfc7523#section-2.2).
 */
const CLIENT_MEMBERS = ["client_id", "client_assertion_type", "client_assertion"];

export const PAGE_QUERY: readonly string[] = ["client_id", "request_uri"];

function xrpc(
  nsid: string,
  details: Pick<Operation, "method" | "hosts" | "query" | "repeatable" | "body" | "headers"> & {
    readonly source?: string;
  },
): Operation {
  return { path: `/xrpc/${nsid}`, source: `${LEXICONS}/${nsid.replaceAll(".", "/")}.json`, ...details };
}

const form = (members: readonly string[]): NonNullable<Operation["body"]> => ({
  types: ["form"],
  members: [...members, ...CLIENT_MEMBERS],
});
const BYTES = { types: ["bytes"] } as const;

export const OPERATIONS: readonly Operation[] = [
  {
    method: "GET",
    hosts: [`*.${ENTRYWAY}`, `*.${TEST_USERS.ben.pds.host}`],
    path: "/.well-known/atproto-did",
    source: "https://atproto.com/specs/handle#handle-resolution",
  },
  {
    method: "GET",
    hosts: [DIRECTORY],
    path: "/{did}",
    source: "https://web.plc.directory/spec/v0.1/did-plc",
  },
  {
    method: "GET",
    hosts: PDS,
    path: "/.well-known/oauth-protected-resource",
    source: OAUTH_SPEC,
  },
  {
    method: "GET",
    hosts: AUTHORIZATION_SERVERS,
    path: "/.well-known/oauth-authorization-server",
    source: OAUTH_SPEC,
  },
  {
    method: "GET",
    hosts: AUTHORIZATION_SERVERS,
    path: "/oauth/jwks",
    source: "https://www.rfc-editor.org/rfc/rfc8414#section-2",
  },
  {
    method: "POST",
    hosts: AUTHORIZATION_SERVERS,
    path: "/oauth/par",
    body: form([
      "response_type",
      "redirect_uri",
      "scope",
      "state",
      "code_challenge",
      "code_challenge_method",
      "login_hint",
    ]),
    source: OAUTH_SPEC,
  },
  {
    method: "GET",
    hosts: AUTHORIZATION_SERVERS,
    path: "/oauth/authorize",
    query: PAGE_QUERY,
    isPage: true,
    source: OAUTH_SPEC,
  },
  {
    method: "POST",
    hosts: AUTHORIZATION_SERVERS,
    path: "/oauth/token",
    body: form(["grant_type", "code", "redirect_uri", "code_verifier", "refresh_token"]),
    source: OAUTH_SPEC,
  },
  {
    method: "POST",
    hosts: AUTHORIZATION_SERVERS,
    path: "/oauth/revoke",
    body: form(["token"]),
    source: "https://www.rfc-editor.org/rfc/rfc7009#section-2.1",
  },
  xrpc("com.atproto.identity.resolveHandle", {
    method: "GET",
    hosts: [APP_VIEW, ...PDS_AND_ENTRYWAY],
    query: ["handle"],
  }),
  xrpc("com.atproto.server.describeServer", { method: "GET", hosts: PDS_AND_ENTRYWAY }),
  xrpc("com.atproto.server.createSession", {
    method: "POST",
    hosts: PDS_AND_ENTRYWAY,
    body: { types: ["json"], members: ["identifier", "password", "authFactorToken"] },
  }),
  xrpc("com.atproto.server.refreshSession", { method: "POST", hosts: PDS_AND_ENTRYWAY }),
  xrpc("com.atproto.server.deleteSession", { method: "POST", hosts: PDS_AND_ENTRYWAY }),
  xrpc("com.atproto.server.getSession", { method: "GET", hosts: PDS_AND_ENTRYWAY }),
  xrpc("com.atproto.server.getServiceAuth", { method: "GET", hosts: PDS, query: ["aud", "exp", "lxm"] }),
  xrpc("com.atproto.repo.createRecord", {
    method: "POST",
    hosts: PDS,
    body: { types: ["json"], members: ["repo", "collection", "rkey", "validate", "record.*"] },
  }),
  xrpc("com.atproto.repo.putRecord", {
    method: "POST",
    hosts: PDS,
    body: { types: ["json"], members: ["repo", "collection", "rkey", "validate", "record.*", "swapRecord"] },
  }),
  xrpc("com.atproto.repo.deleteRecord", {
    method: "POST",
    hosts: PDS,
    body: { types: ["json"], members: ["repo", "collection", "rkey"] },
  }),
  xrpc("com.atproto.repo.getRecord", { method: "GET", hosts: PDS, query: ["repo", "collection", "rkey", "cid"] }),
  xrpc("com.atproto.repo.listRecords", {
    method: "GET",
    hosts: PDS,
    query: ["repo", "collection", "limit", "cursor", "reverse"],
  }),
  xrpc("com.atproto.repo.uploadBlob", { method: "POST", hosts: PDS, body: BYTES }),
  xrpc("com.atproto.sync.getRepoStatus", { method: "GET", hosts: PDS, query: ["did"] }),
  xrpc("app.bsky.actor.getProfile", { method: "GET", hosts: [APP_VIEW], query: ["actor"] }),
  xrpc("app.bsky.feed.getPosts", { method: "GET", hosts: [APP_VIEW], query: ["uris"], repeatable: ["uris"] }),
  xrpc("app.bsky.video.getUploadLimits", { method: "GET", hosts: [VIDEO_SERVICE] }),
  xrpc("app.bsky.video.uploadVideo", {
    method: "POST",
    hosts: [VIDEO_SERVICE],
    query: ["did", "name"],
    body: BYTES,
    // The lexicon does not list these two parameters, but the tutorial does.
    source: "https://docs.bsky.app/docs/tutorials/video",
  }),
  xrpc("app.bsky.video.getJobStatus", { method: "GET", hosts: [VIDEO_SERVICE], query: ["jobId"] }),
];

/** Proof and token are checked before the body. The setting `lenient` switches off the check of names. */
export const rules: OperationRules = { operations: OPERATIONS, checkedBy: "simulator" };

/** The operation for a method's path. */
export function xrpcOperation(path: string): Operation {
  const operation = OPERATIONS.find((one) => one.path === path);
  if (!operation) {
    throw new Error(`${path} is not in the list of operations`);
  }
  return operation;
}
