import { sha256Hex } from "#core/encoding.ts";
import { isJsonObject, canonicalJson, type JsonObject, type JsonValue } from "#core/json.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import { isVisibleInApp } from "./app-view.ts";
import { type Caller, missingPermission } from "./authorization.ts";
import { findBlobProblem, keepBlobs } from "./blobs.ts";
import { nextTid, recordCid, TID } from "./identifiers.ts";
import { toText } from "./lexicon.ts";
import { isLenient } from "./leniency.ts";
import { blobsIn, findRecordProblem, POST_COLLECTION, replyOf } from "./post-record.ts";
import { toPublishedPost } from "./published-post.ts";
import { internalServerError, invalidXrpc, xrpcError } from "./responses.ts";
import { POINTS, takePoints } from "./rate-limits.ts";
import { repoPermission } from "./scopes.ts";
import { findUser, pdsOf, type TestUser } from "./test-users.ts";

/* The records of an account (sections 3.1 and 3.2, rules 16 and 21). */

const MAX_LIST_LIMIT = 100;
const DEFAULT_LIST_LIMIT = 50;

type StoredRecord = {
  readonly uri: string;
  readonly cid: string;
  readonly value: JsonObject;
  readonly storedAt: number;
};

const recordPrefix = (did: string): string => `record:${did}:`;
const recordKey = (did: string, rkey: string): string => recordPrefix(did) + rkey;
const uriOf = (did: string, rkey: string): string => `at://${did}/${POST_COLLECTION}/${rkey}`;

const findRecord = (sim: SimulatorContext, did: string, rkey: string): StoredRecord | undefined =>
  sim.store.get<StoredRecord>(recordKey(did, rkey));

/** Makes the commit that every write creates, with a new revision. */
async function newCommit(sim: SimulatorContext, key: string): Promise<{ cid: string; rev: string }> {
  const rev = nextTid(sim);
  return { cid: recordCid(await sha256Hex(`${key} ${rev}`)), rev };
}

const findByUri = (sim: SimulatorContext, uri: string): StoredRecord | undefined => {
  const [did = "", , rkey = ""] = uri.slice("at://".length).split("/");
  return findRecord(sim, did, rkey);
};

/**
 * Refuses a reply that a real PDS stores and the AppView marks as `invalidReplyRoot` (A
 * packages/bsky/src/data-plane/server/indexing/plugins/post.ts, `validateReply`): its parent does not exist, or its
 * root is not the parent's. It also compares the CIDs, which no real server does.
 */
function findReplyProblem(sim: SimulatorContext, record: JsonObject): string | null {
  const reply = replyOf(record);
  if (!reply || isLenient(sim, "reply_references")) {
    return null;
  }
  const parent = findByUri(sim, reply.parent.uri);
  if (!parent || parent.cid !== reply.parent.cid) {
    return "no such post at $.record.reply.parent";
  }
  const root = replyOf(parent.value)?.root ?? { uri: parent.uri, cid: parent.cid };
  return root.uri === reply.root.uri && root.cid === reply.root.cid
    ? null
    : "not the root of the parent at $.record.reply.root";
}

interface Write {
  readonly did: string;
  readonly rkey: string;
  readonly record: JsonObject;
  readonly cid: string;
  readonly validationStatus: "valid" | null;
}

/** The common part of createRecord and putRecord: checks the repository, the key and the record. */
async function readWrite(sim: SimulatorContext, { user }: Caller, body: JsonObject): Promise<Write | Response> {
  const { repo, collection, rkey, record, validate } = body;
  if (typeof repo !== "string" || typeof collection !== "string" || !isJsonObject(record)) {
    return invalidXrpc("Input must have repo, collection and record");
  }
  if (validate !== undefined && typeof validate !== "boolean") {
    return invalidXrpc("Input/validate must be a boolean");
  }
  if (repo !== user.did) {
    return xrpcError(401, "AuthenticationRequired", "Authentication Required");
  }
  if (collection !== POST_COLLECTION) {
    return invalidXrpc(`The sandbox has no collection but ${POST_COLLECTION}`);
  }
  if (record["$type"] !== collection) {
    return invalidXrpc(`Invalid $type: expected ${collection}, got ${toText(record["$type"])}`);
  }
  if (rkey !== undefined && (typeof rkey !== "string" || !TID.test(rkey))) {
    return invalidXrpc(`Invalid record key for ${collection}: ${JSON.stringify(rkey)}`);
  }
  const problem = validate === false ? null : (findRecordProblem(sim, record) ?? findReplyProblem(sim, record));
  if (problem !== null) {
    return invalidXrpc(`Invalid ${collection} record: ${problem}`);
  }
  return {
    did: user.did,
    rkey: rkey ?? nextTid(sim),
    record,
    cid: recordCid(await sha256Hex(canonicalJson(record))),
    validationStatus: validate === false ? null : "valid",
  };
}

/**
 * Stores a record and publishes the post. It is synchronous, so that nothing happens between the checks and the commit.
 */
function storeRecord(sim: SimulatorContext, { did, rkey, record, cid }: Write): void {
  const references = blobsIn(record["embed"]);
  const stored: StoredRecord = { uri: uriOf(did, rkey), cid, value: record, storedAt: sim.now() };
  sim.store.put(recordKey(did, rkey), stored);
  keepBlobs(sim, did, references);
  sim.recordPublishedPost(toPublishedPost(sim, did, rkey, record));
}

const withHeaders = (body: JsonObject, headers: Record<string, string>): Response => Response.json(body, { headers });

/** Handles `POST com.atproto.repo.createRecord`. An existing key gives a 500 without a name (3.2). */
export async function createRecord(sim: SimulatorContext, caller: Caller, body: JsonObject): Promise<Response> {
  const refusal = missingPermission(caller, repoPermission(toText(body["collection"]), "create"));
  if (refusal) {
    return refusal;
  }
  const headers = takePoints(sim, caller.user.did, POINTS.create);
  if (headers instanceof Response) {
    return headers;
  }
  const write = await readWrite(sim, caller, body);
  if (write instanceof Response) {
    return write;
  }
  const { did, rkey, cid, record, validationStatus } = write;
  const commit = await newCommit(sim, rkey);
  const blobProblem = findBlobProblem(sim, did, blobsIn(record["embed"]));
  if (blobProblem) {
    return blobProblem;
  }
  if (findRecord(sim, did, rkey)) {
    return internalServerError();
  }
  storeRecord(sim, write);
  return withHeaders({ uri: uriOf(did, rkey), cid, commit, validationStatus: validationStatus ?? "unknown" }, headers);
}

/** Handles `POST com.atproto.repo.putRecord`, which requires the permissions to create and to update. */
export async function putRecord(sim: SimulatorContext, caller: Caller, body: JsonObject): Promise<Response> {
  const collection = toText(body["collection"]);
  const refusal =
    missingPermission(caller, repoPermission(collection, "create")) ??
    missingPermission(caller, repoPermission(collection, "update"));
  if (refusal) {
    return refusal;
  }
  const headers = takePoints(sim, caller.user.did, POINTS.update);
  if (headers instanceof Response) {
    return headers;
  }
  if (body["rkey"] === undefined) {
    return invalidXrpc('Input must have the property "rkey"');
  }
  const write = await readWrite(sim, caller, body);
  if (write instanceof Response) {
    return write;
  }
  const { did, rkey, cid, record } = write;
  const commit = await newCommit(sim, rkey);
  const existing = findRecord(sim, did, rkey);
  if (existing?.cid === cid) {
    return withHeaders({ uri: existing.uri, cid, validationStatus: "valid" }, headers);
  }
  const { swapRecord } = body;
  if (swapRecord !== undefined && swapRecord !== (existing?.cid ?? null)) {
    return xrpcError(400, "InvalidSwap", `Record was at ${existing?.cid ?? "null"}`);
  }
  const blobProblem = findBlobProblem(sim, did, blobsIn(record["embed"]));
  if (blobProblem) {
    return blobProblem;
  }
  storeRecord(sim, write);
  return withHeaders({ uri: uriOf(did, rkey), cid, commit, validationStatus: "valid" }, headers);
}

/** Handles `POST com.atproto.repo.deleteRecord`. Deleting a missing record succeeds. */
export async function deleteRecord(sim: SimulatorContext, caller: Caller, body: JsonObject): Promise<Response> {
  const { repo, collection, rkey } = body;
  const refusal = missingPermission(caller, repoPermission(toText(collection), "delete"));
  if (refusal) {
    return refusal;
  }
  const headers = takePoints(sim, caller.user.did, POINTS.delete);
  if (headers instanceof Response) {
    return headers;
  }
  if (repo !== caller.user.did) {
    return xrpcError(401, "AuthenticationRequired", "Authentication Required");
  }
  if (collection !== POST_COLLECTION || typeof rkey !== "string") {
    return invalidXrpc("Input must have collection and rkey");
  }
  const commit = await newCommit(sim, rkey);
  if (!findRecord(sim, repo, rkey)) {
    return withHeaders({}, headers);
  }
  sim.store.delete(recordKey(repo, rkey));
  return withHeaders({ commit }, headers);
}

const notLocated = (uri: string): Response => xrpcError(400, "RecordNotFound", `Could not locate record: ${uri}`);

const recordJson = ({ uri, cid, value }: StoredRecord): JsonObject => ({ uri, cid, value });

/**
 * Handles `GET com.atproto.repo.getRecord`. It is up to date at the account's own PDS. For another repository the PDS
 * asks the AppView, which lags behind (rule 23).
 */
export function getRecord(sim: SimulatorContext, host: string, query: URLSearchParams): Response {
  const [repo, collection, rkey] = ["repo", "collection", "rkey"].map((name) => query.get(name) ?? "");
  const user = findUser(sim, repo ?? "");
  const uri = `at://${user?.did ?? repo}/${collection}/${rkey}`;
  const record = user && collection === POST_COLLECTION ? findRecord(sim, user.did, rkey ?? "") : undefined;
  const cid = query.get("cid");
  if (!user || !record || (cid !== null && cid !== record.cid)) {
    return notLocated(uri);
  }
  return pdsOf(sim, user).host === host || isVisibleInApp(sim, record.storedAt)
    ? Response.json(recordJson(record))
    : notLocated(uri);
}

function listedUser(sim: SimulatorContext, host: string, repo: string): TestUser | undefined {
  const user = findUser(sim, repo);
  return user && pdsOf(sim, user).host === host ? user : undefined;
}

/** Handles `GET com.atproto.repo.listRecords`, newest key first. */
export function listRecords(sim: SimulatorContext, host: string, query: URLSearchParams): Response {
  const limit = Number(query.get("limit") ?? DEFAULT_LIST_LIMIT);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIST_LIMIT) {
    return invalidXrpc(`limit must be 1 to ${MAX_LIST_LIMIT}`);
  }
  const user = listedUser(sim, host, query.get("repo") ?? "");
  if (!user) {
    return invalidXrpc(`Could not find repo: ${query.get("repo")}`);
  }
  const cursor = query.get("cursor");
  const isAscending = query.get("reverse") === "true";
  const records = sim.store
    .list<StoredRecord>(recordPrefix(user.did), { reverse: !isAscending })
    .map(([key, record]) => ({ rkey: key.slice(recordPrefix(user.did).length), record }))
    .filter(({ rkey }) => cursor === null || (isAscending ? rkey > cursor : rkey < cursor))
    .slice(0, query.get("collection") === POST_COLLECTION ? limit : 0);
  const last = records.at(-1);
  const list: JsonValue = records.map(({ record }) => recordJson(record));
  return Response.json({ records: list, ...(last && { cursor: last.rkey }) });
}
