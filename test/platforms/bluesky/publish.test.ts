import { describe, test } from "vitest";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { fromBase64Url } from "#core/encoding.ts";
import { bluesky } from "#platforms/bluesky/index.ts";
import { accountServerNonces } from "#platforms/bluesky/api.ts";
import { recordKey } from "#platforms/bluesky/refs.ts";
import type { Job, PrepareOutcome } from "#platforms/contract.ts";
import { image, job, NOW, video } from "../../support/adapter-inputs.ts";
import { parseRequestBody, type ScriptedResponse, scriptedClient } from "../../support/scripted-http-client.ts";
import {
  BLOB,
  blueskyAccount,
  blueskyJob,
  DID,
  didDocument,
  DOCUMENT,
  json,
  PDS,
  RESOLVED,
  xrpcError,
} from "./fixture.ts";

async function refOf(post: Job, ...answers: ScriptedResponse[]): Promise<JsonValue> {
  const outcome = await bluesky.prepare(scriptedClient(...answers), post, undefined);
  if (outcome.state !== "ready") {
    throw new Error(JSON.stringify(outcome));
  }
  return JSON.parse(JSON.stringify(outcome.ref)) as JsonValue;
}

const recordOf = (outcome: PrepareOutcome): JsonObject =>
  outcome.state === "ready" ? (outcome.ref as { record: JsonObject }).record : {};

/** Of a proof, which is a JWT. */
const nonceOf = (proof: string): unknown =>
  (JSON.parse(new TextDecoder().decode(fromBase64Url(proof.split(".")[1]!))) as JsonObject)["nonce"];

const UPLOADED = json({ blob: { ...BLOB, original: "not to be sent back" } });
const SESSION = json({ did: DID, handle: "ada.bsky.social" });

describe("the record", () => {
  test("has its time, links and languages, and the same key in every run", async ({ expect }) => {
    const post = blueskyJob({ caption: "Hi @ada.bsky.social #tag", options: { langs: ["en"] } });
    const outcome = await bluesky.prepare(scriptedClient(RESOLVED), post, undefined);
    expect(recordOf(outcome)).toEqual({
      $type: "app.bsky.feed.post",
      text: post.caption,
      createdAt: "2030-01-01T12:00:00.000Z",
      langs: ["en"],
      facets: [
        { index: { byteStart: 3, byteEnd: 19 }, features: [{ $type: "app.bsky.richtext.facet#mention", did: DID }] },
        { index: { byteStart: 20, byteEnd: 24 }, features: [{ $type: "app.bsky.richtext.facet#tag", tag: "tag" }] },
      ],
    });
    const later = await refOf({ ...post, now: NOW + 60_000 }, RESOLVED);
    expect(later).toMatchObject({
      recordKey: await recordKey(post),
      record: { createdAt: "2030-01-01T12:01:00.000Z" },
    });
    expect(outcome).toMatchObject({ ref: { recordKey: await recordKey(post) } });
  });

  test("loses the mention of an unknown handle, and waits ten minutes for a lookup that fails", async ({ expect }) => {
    const post = blueskyJob({ caption: "Hi @ada.bsky.social" });
    const unknown = scriptedClient(xrpcError(400, "InvalidRequest"), 404);
    expect(recordOf(await bluesky.prepare(unknown, post, undefined))["facets"]).toBeUndefined();
    expect(await bluesky.prepare(scriptedClient(503), post, undefined)).toMatchObject({ fault: { kind: "temporary" } });
    const late = { ...post, now: NOW + 601_000 };
    expect(await bluesky.prepare(scriptedClient(503), late, undefined)).toMatchObject({ state: "ready" });
  });

  test("has images with descriptions and shapes, and blobs without further members", async ({ expect }) => {
    const media = [image(), image({ width: null })];
    const post = blueskyJob({ media, options: { alt_texts: ["First"] } });
    const client = scriptedClient(UPLOADED);
    expect(recordOf(await bluesky.prepare(client, post, undefined))["embed"]).toEqual({
      $type: "app.bsky.embed.images",
      images: [
        { image: BLOB, alt: "First", aspectRatio: { width: 1080, height: 1350 } },
        { image: BLOB, alt: "" },
      ],
    });
    expect(client.requests.map((request) => [request.url.pathname, request.headers.get("content-type")])).toEqual([
      ["/xrpc/com.atproto.repo.uploadBlob", "image/jpeg"],
      ["/xrpc/com.atproto.repo.uploadBlob", "image/jpeg"],
    ]);
    const oauth = scriptedClient(SESSION, UPLOADED);
    await bluesky.prepare(oauth, job({ account: blueskyAccount(), media: [image()] }), undefined);
    expect(oauth.requests[0]?.url.pathname).toBe("/xrpc/com.atproto.server.getSession");
    expect(oauth.requests[1]?.headers.get("authorization")).toMatch(/^DPoP /);
  });

  test("has a link card", async ({ expect }) => {
    const card = { uri: "https://a.example.com/", title: "A", description: "B" };
    const outcome = await bluesky.prepare(scriptedClient(500), blueskyJob({ options: { link_card: card } }), undefined);
    expect(recordOf(outcome)["embed"]).toEqual({ $type: "app.bsky.embed.external", external: card });
  });
});

describe("commit", () => {
  const created = async (post: Job) => {
    const uri = `at://${DID}/app.bsky.feed.post/${await recordKey(post)}`;
    return { uri, answer: json({ uri, cid: "bafy", commit: { cid: "c", rev: "r" } }) };
  };

  test("is one createRecord under the key of the reference", async ({ expect }) => {
    const post = blueskyJob();
    const { uri, answer } = await created(post);
    const client = scriptedClient(answer);
    expect(await bluesky.commit(client, post, await refOf(post))).toEqual({
      state: "published",
      remoteId: uri,
      url: `https://bsky.app/profile/${DID}/post/${await recordKey(post)}`,
    });
    expect(client.requests).toHaveLength(1);
    expect(parseRequestBody(client.requests[0])).toMatchObject({
      repo: DID,
      collection: "app.bsky.feed.post",
      rkey: await recordKey(post),
      record: { text: post.caption },
    });
  });

  test("answers a demanded nonce once; after that the call is the operator's fault", async ({ expect }) => {
    const post = job({ account: blueskyAccount() });
    const demanded = json({ error: "use_dpop_nonce" }, 401, { "dpop-nonce": "n1" });
    const client = scriptedClient(demanded, (await created(post)).answer);
    expect(await bluesky.commit(client, post, await refOf(post))).toMatchObject({ state: "published" });
    expect(client.requests).toHaveLength(2);
    expect(await bluesky.commit(scriptedClient(demanded), post, await refOf(post))).toMatchObject({
      state: "refused",
      fault: { kind: "rate_limited", code: "proof_refused", whoMustAct: "operator" },
    });
  });

  test("is sent once to a server whose nonce an earlier call has brought", async ({ expect }) => {
    accountServerNonces.clear();
    const post = job({ account: blueskyAccount() });
    const { uri } = await created(post);
    const withNonce = (nonce: string) => json({ uri, cid: "bafy" }, 200, { "dpop-nonce": nonce });
    const demanded = json({ error: "use_dpop_nonce" }, 401, { "dpop-nonce": "n1" });
    const first = scriptedClient(demanded, withNonce("n2"));
    const second = scriptedClient(withNonce("n2"));
    // The server has a new nonce since: the call goes out again with that one.
    const third = scriptedClient(json({ error: "use_dpop_nonce" }, 401, { "dpop-nonce": "n3" }), withNonce("n3"));
    const noncesOf = ({ requests }: typeof first) => requests.map(({ headers }) => nonceOf(headers.get("dpop")!));
    for (const client of [first, second, third]) {
      expect(await bluesky.commit(client, post, await refOf(post))).toMatchObject({ state: "published" });
    }
    expect([first, second, third].map(noncesOf)).toEqual([[undefined, "n1"], ["n2"], ["n2", "n3"]]);
  });

  test.for<[string, ScriptedResponse]>([
    ["a bare 500", xrpcError(500, "InternalServerError")],
    ["a gateway's page", { status: 502, text: "<html>" }],
    ["a lost connection", "connection_lost"],
    ["an unknown error", xrpcError(400, "RecordAlreadyExists")],
    ["an unknown status", 409],
    ["the address of another record", json({ uri: `at://${DID}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: "c" })],
  ])("%s is uncertain", async ([, answer], { expect }) => {
    const post = blueskyJob();
    const outcome = await bluesky.commit(scriptedClient(answer), post, await refOf(post));
    expect(outcome).toMatchObject({ state: "uncertain", ref: { sendCount: 1, sentAt: NOW, refusal: null } });
  });

  test("a lost blob is uploaded again, an invalid record is refused", async ({ expect }) => {
    const post = blueskyJob();
    const ref = await refOf(post);
    expect(await bluesky.commit(scriptedClient(xrpcError(400, "BlobNotFound")), post, ref)).toMatchObject({
      state: "stale",
    });
    const invalid = xrpcError(400, "InvalidRequest", "Invalid app.bsky.feed.post record: grapheme too big");
    expect(await bluesky.commit(scriptedClient(invalid), post, ref)).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", message: expect.stringContaining("grapheme too big") },
    });
  });

  test("a repeated call that is refused is looked up first, and refused only if nothing is there", async ({
    expect,
  }) => {
    const post = blueskyJob({ committedAt: NOW, now: NOW + 100_000 });
    const sent = { ...((await refOf(post)) as JsonObject), sendCount: 1 };
    const outcome = await bluesky.commit(scriptedClient(xrpcError(400, "InvalidRequest", "no")), post, sent);
    const ref = outcome.state === "uncertain" ? (outcome.ref ?? null) : null;
    expect(ref).toMatchObject({ refusal: { httpStatus: 400 } });
    const later = { ...post, now: NOW + 200_000 };
    const absent = scriptedClient(xrpcError(400, "RecordNotFound"), DOCUMENT);
    expect(await bluesky.verify(absent, later, ref)).toMatchObject({ state: "refused", fault: { kind: "rejected" } });
    const present = scriptedClient(json({ uri: "at://", cid: "c", value: { text: post.caption } }));
    expect(await bluesky.verify(present, later, ref)).toMatchObject({ state: "published" });
  });
});

describe("verify", () => {
  const NOT_FOUND = xrpcError(400, "RecordNotFound", "Could not locate record");
  const committed = (elapsedMs: number) => blueskyJob({ committedAt: NOW, now: NOW + elapsedMs });

  test("reads the record by its key, also without a reference", async ({ expect }) => {
    const post = committed(1000);
    const client = scriptedClient(json({ uri: "at://", cid: "c", value: { text: post.caption } }));
    const expected = { state: "published", remoteId: `at://${DID}/app.bsky.feed.post/${await recordKey(post)}` };
    expect(await bluesky.verify(client, post, null)).toMatchObject(expected);
    expect(await bluesky.verify(client, post, await refOf(post))).toMatchObject(expected);
    expect(client.requests[0]?.url.href).toBe(
      `${PDS}/xrpc/com.atproto.repo.getRecord?repo=${encodeURIComponent(DID)}&collection=app.bsky.feed.post&rkey=${await recordKey(post)}`,
    );
    expect(client.requests[0]?.headers.get("authorization")).toBeNull();
  });

  test("is absent only in a second lookup, at the server that still holds the account", async ({ expect }) => {
    const ref = await refOf(committed(0));
    expect(await bluesky.verify(scriptedClient(NOT_FOUND), committed(1000), ref)).toEqual({
      state: "again",
      afterSeconds: 44,
      isProcessing: false,
    });
    expect(await bluesky.verify(scriptedClient(NOT_FOUND, DOCUMENT), committed(45_000), ref)).toEqual({
      state: "absent",
    });
    const resent = { ...(ref as JsonObject), sentAt: NOW + 100_000 };
    expect(await bluesky.verify(scriptedClient(NOT_FOUND), committed(101_000), resent)).toMatchObject({
      state: "again",
    });
    const service = [
      { id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: "https://pds.example.com" },
    ];
    const moved = scriptedClient(NOT_FOUND, json(didDocument({ service })));
    expect(await bluesky.verify(moved, committed(60_000), ref)).toMatchObject({ state: "cannot_tell" });
    expect(await bluesky.verify(scriptedClient(NOT_FOUND, 503), committed(60_000), ref)).toMatchObject({
      state: "again",
    });
  });

  test.for<[string, ScriptedResponse]>([
    ["a bare 500", xrpcError(500, "InternalServerError")],
    ["another error", xrpcError(400, "InvalidRequest", "Could not locate record")],
    ["404", 404],
    ["a page", { status: 200, text: "<html>" }],
  ])("%s proves nothing", async ([, answer], { expect }) => {
    expect(await bluesky.verify(scriptedClient(answer), committed(3_600_000), null)).toMatchObject({ state: "again" });
  });

  test("another text under the key is left to the user", async ({ expect }) => {
    const other = scriptedClient(json({ uri: "at://", cid: "c", value: { text: "another" } }));
    expect(await bluesky.verify(other, committed(60_000), null)).toMatchObject({ state: "cannot_tell" });
  });
});

describe("a video", () => {
  const TOKEN = json({ token: "service-token" });
  const LIMITS = json({ canUpload: true, remainingDailyVideos: 25, remainingDailyBytes: 10_000_000_000 });
  const SERVER = json({ did: "did:web:shimeji.us-east.host.bsky.network" });
  const STARTED = [TOKEN, LIMITS, SERVER, TOKEN] as const;
  const VIDEO_BLOB = { ...BLOB, mimeType: "video/mp4" };
  const post = blueskyJob({ media: [video()] });
  const prepare = (cursor: JsonValue | undefined, ...answers: ScriptedResponse[]) =>
    bluesky.prepare(scriptedClient(...answers), post, cursor);
  const cursor = { jobId: "job1", processingSince: NOW, uploadCount: 1, failureCount: 0 };
  const failedWith = (failureCode: string) =>
    json({ jobStatus: { jobId: "job1", state: "JOB_STATE_FAILED", failureCode } });

  test("goes to the video service with a permission for the account's server", async ({ expect }) => {
    const client = scriptedClient(...STARTED, json({ jobId: "job1", did: DID, state: "JOB_STATE_CREATED" }));
    expect(await bluesky.prepare(client, post, undefined)).toMatchObject({ state: "again", cursor });
    const queries = client.requests.map(({ url }) => Object.fromEntries(url.searchParams));
    expect(queries[0]).toEqual({ aud: "did:web:video.bsky.app", lxm: "app.bsky.video.getUploadLimits" });
    expect(queries[3]).toEqual({
      aud: "did:web:shimeji.us-east.host.bsky.network",
      lxm: "com.atproto.repo.uploadBlob",
      exp: String(NOW / 1000 + 1800),
    });
    expect(queries[4]).toEqual({ did: DID, name: `${post.postId}.mp4` });
  });

  test.for<[string, ScriptedResponse]>([
    ["a wrapped job", json({ jobStatus: { jobId: "job1", state: "JOB_STATE_CREATED" } })],
    [
      "a file that is there already",
      json({ error: "already_exists", jobId: "job1", state: "JOB_STATE_COMPLETED" }, 409),
    ],
  ])("%s is a job", async ([, answer], { expect }) => {
    expect(await prepare(undefined, ...STARTED, answer)).toMatchObject({ state: "again", cursor: { jobId: "job1" } });
  });

  test("is ready with its blob, whatever the state, and in progress without one", async ({ expect }) => {
    const done = json({ jobStatus: { jobId: "job1", state: "JOB_STATE_SOMETHING", blob: VIDEO_BLOB } });
    expect(await prepare(cursor, done)).toMatchObject({
      state: "ready",
      ref: { record: { embed: { $type: "app.bsky.embed.video", video: VIDEO_BLOB } } },
    });
    const without = json({ jobStatus: { jobId: "job1", state: "JOB_STATE_COMPLETED" } });
    expect(await prepare(cursor, without)).toMatchObject({ state: "again", cursor });
    const late = { ...post, now: NOW + 46 * 60_000 };
    expect(await bluesky.prepare(scriptedClient(without), late, cursor)).toMatchObject({
      fault: { code: "processing_failed" },
    });
  });

  test.for(["pds_upload_failure", "generic_failure", "unheard_of"])(
    "%s is uploaded again, three times",
    async (code, { expect }) => {
      expect(await prepare(cursor, failedWith(code))).toMatchObject({
        state: "again",
        cursor: { jobId: null, uploadCount: 1 },
      });
      const last = { ...cursor, uploadCount: 3 };
      expect(await prepare(last, failedWith(code))).toMatchObject({
        state: "refused",
        fault: { code: "processing_failed" },
      });
    },
  );

  test.for([
    ["validation_failure", "media_invalid"],
    ["encoding_failure", "media_invalid"],
    ["pds_upload_unsupported_blob_size", "media_too_large"],
  ])("%s is refused", async ([code = "", fault], { expect }) => {
    expect(await prepare(cursor, failedWith(code))).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: fault },
    });
  });

  test("a status that is not answered is asked for again, a job that is gone is started again", async ({ expect }) => {
    expect(await prepare(cursor, 503)).toMatchObject({ state: "again", cursor: { failureCount: 1 } });
    expect(await prepare({ ...cursor, failureCount: 5 }, 503)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
    expect(await prepare(cursor, xrpcError(404, "NotFound"))).toMatchObject({
      state: "again",
      cursor: { jobId: null },
    });
  });

  test.for<[string, readonly ScriptedResponse[], string, string]>([
    [
      "an exhausted day",
      [TOKEN, json({ canUpload: false, remainingDailyVideos: 0 })],
      "rate_limited",
      "daily_cap_reached",
    ],
    ["an account that may not", [TOKEN, json({ canUpload: false, message: "No" })], "rejected", "not_permitted"],
    ["an unknown profile", [TOKEN, xrpcError(401, "profile_not_found")], "rejected", "not_permitted"],
    [
      "an unconfirmed address",
      [...STARTED, json({ error: "unconfirmed_email", jobId: "", state: "" }, 400)],
      "rejected",
      "not_permitted",
    ],
    [
      "the daily limit",
      [...STARTED, xrpcError(400, "limit", "User has exceeded daily upload videos limit")],
      "rate_limited",
      "daily_cap_reached",
    ],
    [
      "a file too large",
      [...STARTED, xrpcError(400, "size", "file size (9 bytes) is larger than the maximum allowed size (8 bytes)")],
      "rejected",
      "media_too_large",
    ],
    ["a broken connection", [...STARTED, "connection_lost"], "temporary", "platform_unavailable"],
    ["a missing permission", [xrpcError(403, "ScopeMissingError")], "reconnect", "missing_scope"],
  ])("%s is a fault", async ([, answers, kind, code], { expect }) => {
    expect(await prepare(undefined, ...answers)).toMatchObject({ state: "refused", fault: { kind, code } });
  });
});
