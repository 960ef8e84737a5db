import type { SimulatorContext } from "#sandbox/contract.ts";
import { getPosts, getProfile } from "./app-view.ts";
import { createSession, deleteSession, getSession, refreshSession } from "./app-passwords.ts";
import { blobLimitBytes, uploadBlob } from "./blobs.ts";
import { resolveHandle } from "./identity.ts";
import { takeUpload } from "./rate-limits.ts";
import { createRecord, deleteRecord, getRecord, listRecords, putRecord } from "./repository.ts";
import { notFound, xrpcError } from "./responses.ts";
import { getServiceAuth } from "./service-auth.ts";
import { accountStatus, APP_VIEW, ENTRYWAY, findUserByDid, type Pds, pdsOf, VIDEO_SERVICE } from "./test-users.ts";
import { getJobStatus, getUploadLimits, uploadVideo } from "./video.ts";
import type { XrpcCall, XrpcMethod } from "./xrpc.ts";

/* The XRPC methods, and the hosts that have them. */

/**
 * Handles `GET com.atproto.server.describeServer`. With `hide_blob_limit` it answers like a server from before July
 * 2026.
 */
function describeServer({ sim, pds }: XrpcCall): Response {
  return Response.json({
    did: pds?.did ?? `did:web:${ENTRYWAY}`,
    availableUserDomains: [pds && pds.authorizationServer === pds.host ? `.${pds.host}` : `.${ENTRYWAY}`],
    inviteCodeRequired: true,
    links: {},
    contact: {},
    ...(pds && sim.settings.extra["hide_blob_limit"] !== true && { blobUploadLimit: blobLimitBytes(sim, pds) }),
  });
}

/** Handles `GET com.atproto.sync.getRepoStatus`. */
function getRepoStatus(sim: SimulatorContext, host: string, did: string): Response {
  const user = findUserByDid(did);
  if (!user || (pdsOf(sim, user).host !== host && user.pds.host !== host)) {
    return xrpcError(400, "RepoNotFound", `Could not find repo for DID: ${did}`);
  }
  const status = pdsOf(sim, user).host === host ? accountStatus(sim) : "deactivated";
  return Response.json({ did, active: status === null, ...(status !== null && { status }) });
}

const onPds = (call: XrpcCall, handle: (pds: Pds) => Response | Promise<Response>): Response | Promise<Response> =>
  call.pds ? handle(call.pds) : notFound();

const METHODS: Readonly<Record<string, XrpcMethod>> = {
  "com.atproto.server.describeServer": { verb: "GET", hosts: "pds_or_entryway", auth: "none", handle: describeServer },
  "com.atproto.server.createSession": {
    verb: "POST",
    hosts: "pds_or_entryway",
    auth: "none",
    handle: ({ sim, host, body }) => createSession(sim, host, body),
  },
  "com.atproto.server.refreshSession": {
    verb: "POST",
    hosts: "pds_or_entryway",
    auth: "none",
    handle: ({ request, sim }) => refreshSession(request, sim),
  },
  "com.atproto.server.deleteSession": {
    verb: "POST",
    hosts: "pds_or_entryway",
    auth: "none",
    handle: ({ request, sim }) => deleteSession(request, sim),
  },
  "com.atproto.server.getSession": {
    verb: "GET",
    hosts: "pds_or_entryway",
    auth: "identity",
    handle: ({ sim }, { user }) => getSession(sim, user),
  },
  "com.atproto.server.getServiceAuth": {
    verb: "GET",
    hosts: "pds",
    auth: "access",
    required: ["aud"],
    handle: ({ sim, query }, caller) => getServiceAuth(sim, caller, query),
  },
  "com.atproto.repo.createRecord": {
    verb: "POST",
    hosts: "pds",
    auth: "access",
    handle: ({ sim, body }, caller) => createRecord(sim, caller, body),
  },
  "com.atproto.repo.putRecord": {
    verb: "POST",
    hosts: "pds",
    auth: "access",
    handle: ({ sim, body }, caller) => putRecord(sim, caller, body),
  },
  "com.atproto.repo.deleteRecord": {
    verb: "POST",
    hosts: "pds",
    auth: "access",
    handle: ({ sim, body }, caller) => deleteRecord(sim, caller, body),
  },
  "com.atproto.repo.getRecord": {
    verb: "GET",
    hosts: "pds",
    auth: "none",
    required: ["repo", "collection", "rkey"],
    handle: ({ sim, host, query }) => getRecord(sim, host, query),
  },
  "com.atproto.repo.listRecords": {
    verb: "GET",
    hosts: "pds",
    auth: "none",
    required: ["repo", "collection"],
    handle: ({ sim, host, query }) => listRecords(sim, host, query),
  },
  "com.atproto.repo.uploadBlob": {
    verb: "POST",
    hosts: "pds",
    auth: "access",
    handle: (call, caller) =>
      onPds(call, (pds) => {
        const window = takeUpload(call.sim, call.host);
        return window.allowed ? uploadBlob(call.request, call.sim, pds, caller) : window.refusal();
      }),
  },
  "com.atproto.identity.resolveHandle": {
    verb: "GET",
    hosts: "any",
    auth: "none",
    required: ["handle"],
    handle: ({ sim, query }) => resolveHandle(sim, query.get("handle") ?? ""),
  },
  "com.atproto.sync.getRepoStatus": {
    verb: "GET",
    hosts: "pds",
    auth: "none",
    required: ["did"],
    handle: ({ sim, host, query }) => getRepoStatus(sim, host, query.get("did") ?? ""),
  },
  "app.bsky.actor.getProfile": {
    verb: "GET",
    hosts: "app_view",
    auth: "none",
    required: ["actor"],
    handle: ({ sim, query }) => getProfile(sim, query.get("actor") ?? ""),
  },
  "app.bsky.feed.getPosts": {
    verb: "GET",
    hosts: "app_view",
    auth: "none",
    required: ["uris"],
    handle: ({ sim, query }) => getPosts(sim, query.getAll("uris")),
  },
  "app.bsky.video.getUploadLimits": {
    verb: "GET",
    hosts: "video_service",
    auth: "none",
    handle: ({ request, sim }) => getUploadLimits(request, sim),
  },
  "app.bsky.video.uploadVideo": {
    verb: "POST",
    hosts: "video_service",
    auth: "none",
    required: ["did", "name"],
    handle: ({ request, sim, query }) => uploadVideo(request, sim, query),
  },
  "app.bsky.video.getJobStatus": {
    verb: "GET",
    hosts: "video_service",
    auth: "none",
    required: ["jobId"],
    handle: ({ sim, query }) => getJobStatus(sim, query),
  },
};

function isOnHost({ hosts }: XrpcMethod, host: string, pds: Pds | undefined): boolean {
  switch (hosts) {
    case "pds":
      return pds !== undefined;
    case "pds_or_entryway":
      return pds !== undefined || host === ENTRYWAY;
    case "any":
      return host !== VIDEO_SERVICE;
    case "app_view":
      return host === APP_VIEW;
    case "video_service":
      return host === VIDEO_SERVICE;
  }
}

/** The method with a name, if the host has it. */
export function findMethod(nsid: string, host: string, pds: Pds | undefined): XrpcMethod | undefined {
  const method = Object.hasOwn(METHODS, nsid) ? METHODS[nsid] : undefined;
  return method && isOnHost(method, host, pds) ? method : undefined;
}
