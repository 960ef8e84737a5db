import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { Job } from "#platforms/contract.ts";
import { linkedin } from "#platforms/linkedin/index.ts";
import { createCommitRef } from "#platforms/linkedin/refs.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, image, job, type JobOverrides, NOW, video } from "../../support/adapter-inputs.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";

const MEMBER: JsonObject = { kind: "member", canList: false, profile: "userinfo" };
const PAGE: JsonObject = { kind: "organization", canList: true, profile: "userinfo" };
const URN = "urn:li:person:AbC123xyz";
const MIB = 1024 ** 2;

function createPost(overrides: JobOverrides = {}, capabilities = MEMBER, settings: Record<string, string> = {}): Job {
  const account = accountAccess({
    platformAccountId: capabilities === MEMBER ? URN : "urn:li:organization:5515715",
    capabilities,
  });
  return job({ account: { ...account, app: { ...account.app, settings } }, ...overrides });
}

const created: ScriptedResponse = { status: 201, headers: { "x-restli-id": "urn:li:share:7190" } };
const imageUpload = (id: string, uploadUrl = `https://www.linkedin.com/dms-uploads/${id}`): ScriptedResponse => ({
  json: { value: { uploadUrlExpiresAt: NOW + 1e6, uploadUrl, image: `urn:li:image:${id}` } },
});
const status = (value: string): ScriptedResponse => ({ json: { status: value } });
const forbidden: ScriptedResponse = { status: 403, json: { message: "Accessing this image resource is forbidden" } };
const duplicate: ScriptedResponse = {
  status: 422,
  json: {
    message: "Content is a duplicate of urn:li:share:7141",
    errorDetails: { inputErrors: [{ code: "DUPLICATE_POST" }] },
  },
};

describe("the visible call", () => {
  test("carries the three headers and exactly the documented fields", async ({ expect }) => {
    const client = scriptedClient(created);
    const outcome = await linkedin.commit(client, createPost({ caption: "Out (v2) #now" }), createCommitRef([], NOW));
    expect(outcome).toEqual({
      state: "published",
      remoteId: "urn:li:share:7190",
      url: "https://www.linkedin.com/feed/update/urn:li:share:7190/",
    });
    const [sent] = client.requests;
    expect(sent?.url.href).toBe("https://api.linkedin.com/rest/posts");
    expect(sent?.headers.get("linkedin-version")).toBe("202609");
    expect(sent?.headers.get("x-restli-protocol-version")).toBe("2.0.0");
    expect(sent?.headers.get("authorization")).toMatch(/^Bearer /);
    expect(parseRequestBody(sent)).toEqual({
      author: URN,
      commentary: "Out \\(v2\\) {hashtag|\\#|now}",
      visibility: "PUBLIC",
      distribution: { feedDistribution: "MAIN_FEED", targetEntities: [], thirdPartyDistributionChannels: [] },
      lifecycleState: "PUBLISHED",
      isReshareDisabledByAuthor: false,
    });
  });

  test("takes the version from the operator", async ({ expect }) => {
    const client = scriptedClient(created);
    await linkedin.commit(client, createPost({}, MEMBER, { API_VERSION: "202711" }), createCommitRef([], NOW));
    expect(client.requests[0]?.headers.get("linkedin-version")).toBe("202711");
  });

  test("shows one image as media and several as multiImage", async ({ expect }) => {
    const client = scriptedClient(created);
    await linkedin.commit(client, createPost(), createCommitRef(["urn:li:image:a"], NOW));
    await linkedin.commit(client, createPost(), createCommitRef(["urn:li:image:a", "urn:li:image:b"], NOW));
    expect(client.requests.map((request) => parseRequestBody(request)["content"])).toEqual([
      { media: { id: "urn:li:image:a" } },
      { multiImage: { images: [{ id: "urn:li:image:a" }, { id: "urn:li:image:b" }] } },
    ]);
  });

  test("without an id in the response is uncertain", async ({ expect }) => {
    const outcome = await linkedin.commit(scriptedClient(201), createPost(), createCommitRef([], NOW));
    expect(outcome).toMatchObject({ state: "uncertain", httpStatus: 201, ref: { sendCount: 1, firstSentAt: NOW } });
  });

  test("that comes before the media is ready is repeated without using up an attempt, for ten minutes", async ({
    expect,
  }) => {
    const waiting: ScriptedResponse = { status: 400, json: { code: "MEDIA_ASSET_WAITING_UPLOAD", message: "wait" } };
    const ref = createCommitRef(["urn:li:image:a"], NOW - 60_000);
    expect(await linkedin.commit(scriptedClient(waiting), createPost(), ref)).toMatchObject({
      state: "refused",
      fault: { kind: "rate_limited", code: "media_processing", retryAfterSeconds: 15 },
    });
    expect(await linkedin.commit(scriptedClient(forbidden), createPost(), ref)).toMatchObject({
      fault: { kind: "rate_limited", code: "media_processing" },
    });
    const old = createCommitRef(["urn:li:image:a"], NOW - 601_000);
    expect(await linkedin.commit(scriptedClient(waiting), createPost(), old)).toMatchObject({
      fault: { kind: "rejected", code: "processing_failed" },
    });
  });

  test("with an expired upload is prepared again", async ({ expect }) => {
    const expired: ScriptedResponse = { status: 400, json: { code: "EXPIRED_UPLOAD_URL", message: "late" } };
    expect(
      await linkedin.commit(scriptedClient(expired), createPost(), createCommitRef(["urn:li:image:a"], NOW)),
    ).toMatchObject({
      state: "stale",
    });
  });
});

describe("a duplicate", () => {
  const sent = { ...createCommitRef([], NOW - 50_000), sendCount: 1, firstSentAt: NOW - 50_000, sentAt: NOW - 50_000 };

  test("of a post that was sent for the first time is refused", async ({ expect }) => {
    expect(
      await linkedin.commit(scriptedClient(duplicate), createPost({ committedAt: NOW }), createCommitRef([], NOW)),
    ).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "duplicate_content" },
    });
  });

  test("after a call with an uncertain outcome shows nothing that a member could read back", async ({ expect }) => {
    const committed = createPost({ committedAt: NOW - 50_000 });
    // After a crash during the first call, the reference does not record it.
    for (const ref of [sent, createCommitRef([], NOW)]) {
      const outcome = await linkedin.commit(scriptedClient(duplicate), committed, ref);
      expect(outcome).toMatchObject({
        state: "uncertain",
        ref: { duplicate: true, duplicateUrn: "urn:li:share:7141" },
      });
      const duplicateRef = outcome.state === "uncertain" ? (outcome.ref ?? null) : null;
      expect(await linkedin.verify(scriptedClient(500), committed, duplicateRef)).toEqual({
        state: "cannot_tell",
        detail:
          "LinkedIn reports a duplicate of https://www.linkedin.com/feed/update/urn:li:share:7141/, which need not be public",
      });
    }
  });

  test("of a page's post is looked for among the page's posts", async ({ expect }) => {
    const committed = createPost({ caption: "Out", committedAt: NOW - 50_000 }, PAGE);
    const outcome = await linkedin.commit(scriptedClient(duplicate), committed, sent);
    expect(outcome).toMatchObject({ state: "uncertain" });
    const ref = outcome.state === "uncertain" ? (outcome.ref ?? null) : null;
    const later = { ...committed, lastCommittedAt: NOW, now: NOW + 60_000 };
    const listed = (id: string) => ({ json: { elements: [{ id, commentary: "changed", createdAt: NOW - 49_000 }] } });
    expect(await linkedin.verify(scriptedClient(listed("urn:li:share:7141")), later, ref)).toMatchObject({
      state: "published",
      remoteId: "urn:li:share:7141",
    });
    expect(await linkedin.verify(scriptedClient(listed("urn:li:share:1")), later, ref)).toMatchObject({
      state: "cannot_tell",
    });
  });

  test("that names no post leaves the outcome uncertain", async ({ expect }) => {
    const withoutUrn: ScriptedResponse = {
      status: 422,
      json: { errorDetails: { inputErrors: [{ code: "DUPLICATE_POST" }] } },
    };
    const outcome = await linkedin.commit(scriptedClient(withoutUrn), createPost({ committedAt: NOW - 50_000 }), sent);
    expect(outcome).toMatchObject({ state: "uncertain", ref: { duplicate: true } });
    const ref = outcome.state === "uncertain" ? (outcome.ref ?? null) : null;
    expect(await linkedin.verify(scriptedClient(500), createPost({ committedAt: NOW - 50_000 }), ref)).toMatchObject({
      state: "cannot_tell",
    });
  });

  test.for([401, 403, 429])(
    "a repetition refused with %i leaves the first call uncertain",
    async (code, { expect }) => {
      const committed = { committedAt: NOW - 50_000 };
      expect(await linkedin.commit(scriptedClient(code), createPost(committed), sent)).toMatchObject({
        state: "uncertain",
      });
      // A page's posts were listed before the repetition.
      expect(await linkedin.commit(scriptedClient(code), createPost(committed, PAGE), sent)).toMatchObject({
        state: "refused",
      });
    },
  );
});

test("a member's post is not repeated once LinkedIn may have forgotten the first call, whatever held the repetition up", async ({
  expect,
}) => {
  const sentOnce = { sendCount: 1, firstSentAt: NOW, sentAt: NOW };
  const commitAt = async (now: number, account = MEMBER, sent: object = sentOnce) => {
    const client = scriptedClient({ status: 201, headers: { "x-restli-id": "urn:li:share:2" } });
    const ref = { ...createCommitRef([], NOW), ...sent };
    const outcome = await linkedin.commit(client, createPost({ committedAt: NOW, now }, account), ref);
    return { outcome, calls: client.requests.length };
  };
  expect(await commitAt(NOW + 539_999)).toMatchObject({ outcome: { state: "published" }, calls: 1 });
  const late = await commitAt(NOW + 540_000);
  expect(late).toMatchObject({ outcome: { state: "uncertain", ref: { sendCount: 2 } }, calls: 0 });
  // The process was killed during the first call: only the time of that call is known.
  expect(await commitAt(NOW + 540_000, MEMBER, {})).toMatchObject({ outcome: { ref: { sendCount: 2 } }, calls: 0 });
  const ref = late.outcome.state === "uncertain" ? (late.outcome.ref ?? null) : null;
  const post = createPost({ committedAt: NOW, now: NOW + 541_000 });
  expect(await linkedin.verify(scriptedClient(500), post, ref)).toMatchObject({ state: "cannot_tell" });
  // A page's posts were listed: the first call is known to have failed.
  expect(await commitAt(NOW + 540_000, PAGE)).toMatchObject({ outcome: { state: "published" }, calls: 1 });
});

describe("a member's post with an uncertain outcome", () => {
  const profile: ScriptedResponse = { json: { sub: "AbC123xyz", name: "Ada" } };
  const verifyAfter = async (elapsedMs: number, script: ScriptedResponse, overrides: object = {}, settings = {}) => {
    const client = scriptedClient(script);
    const committed = createPost({ committedAt: NOW, now: NOW + elapsedMs }, MEMBER, settings);
    return { outcome: await linkedin.verify(client, committed, { ...createCommitRef([], NOW), ...overrides }), client };
  };

  test("is sent again between 45 seconds and nine minutes", async ({ expect }) => {
    expect((await verifyAfter(1000, profile)).outcome).toEqual({
      state: "again",
      afterSeconds: 44,
      isProcessing: false,
    });
    expect((await verifyAfter(45_000, profile)).outcome).toEqual({ state: "absent" });
    expect((await verifyAfter(539_000, profile)).outcome).toEqual({ state: "absent" });
    expect((await verifyAfter(540_000, profile)).outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("is sent again only once, and never where the operator disabled it", async ({ expect }) => {
    expect((await verifyAfter(60_000, profile, { sendCount: 1 })).outcome).toEqual({ state: "absent" });
    expect((await verifyAfter(60_000, profile, { sendCount: 2 })).outcome).toMatchObject({ state: "cannot_tell" });
    expect((await verifyAfter(60_000, profile, {}, { RESEND: "never" })).outcome).toMatchObject({
      state: "cannot_tell",
    });
  });

  test("waits while LinkedIn does not respond", async ({ expect }) => {
    for (const script of [503, "connection_lost", { text: "<html>" }] as const) {
      expect((await verifyAfter(60_000, script)).outcome).toMatchObject({ state: "again", isProcessing: false });
    }
    expect((await verifyAfter(60_000, 401)).outcome).toMatchObject({ state: "refused", fault: { kind: "reconnect" } });
  });
});

describe("a page's post with an uncertain outcome", () => {
  const list = (...elements: object[]): ScriptedResponse => ({ json: { elements } });
  const verifyAfter = async (
    elapsedMs: number,
    script: ScriptedResponse,
    urns: string[] = [],
    overrides: object = {},
  ) =>
    await linkedin.verify(
      scriptedClient(script),
      createPost({ caption: "Out (v2) #now", committedAt: NOW, now: NOW + elapsedMs }, PAGE),
      { ...createCommitRef(urns, NOW), ...overrides },
    );
  const listed = (overrides: object = {}) => ({
    id: "urn:li:share:1",
    commentary: "Out \\(v2\\) {hashtag|\\#|now}",
    createdAt: NOW + 500,
    ...overrides,
  });
  const publishedMatch = { state: "published", remoteId: "urn:li:share:1" };

  test("is searched with the finder of the page's posts", async ({ expect }) => {
    const client = scriptedClient(list());
    await linkedin.verify(client, createPost({ committedAt: NOW, now: NOW + 20_000 }, PAGE), createCommitRef([], NOW));
    const [sent] = client.requests;
    expect(sent?.headers.get("x-restli-method")).toBe("FINDER");
    expect(Object.fromEntries(sent?.url.searchParams ?? [])).toMatchObject({
      q: "author",
      author: "urn:li:organization:5515715",
      sortBy: "LAST_MODIFIED",
    });
  });

  test("is identified by its unescaped text and its creation time", async ({ expect }) => {
    expect(await verifyAfter(20_000, list(listed()))).toMatchObject(publishedMatch);
    expect(await verifyAfter(20_000, list(listed({ commentary: "Out (v2) #now" })))).toMatchObject(publishedMatch);
    expect(await verifyAfter(20_000, list(listed({ createdAt: NOW - 60_000 })))).toMatchObject({ state: "again" });
    expect(await verifyAfter(20_000, list(listed({ commentary: "Out" })))).toMatchObject({ state: "again" });
    expect(await verifyAfter(20_000, list(listed({ content: { media: { id: "urn:li:image:z" } } })))).toMatchObject({
      state: "again",
    });
  });

  test("is identified by its media only, where it has any", async ({ expect }) => {
    const media = listed({ commentary: "changed by LinkedIn", content: { media: { id: "urn:li:image:a" } } });
    const several = listed({
      content: { multiImage: { images: [{ id: "urn:li:image:a" }, { id: "urn:li:image:b" }] } },
    });
    expect(await verifyAfter(20_000, list(media), ["urn:li:image:a"])).toMatchObject(publishedMatch);
    expect(await verifyAfter(20_000, list(several), ["urn:li:image:a", "urn:li:image:b"])).toMatchObject(
      publishedMatch,
    );
    expect(await verifyAfter(20_000, list(listed()), ["urn:li:image:a"])).toMatchObject({ state: "again" });
  });

  test("is absent after two checks, once", async ({ expect }) => {
    expect(await verifyAfter(1000, 500)).toEqual({ state: "again", afterSeconds: 14, isProcessing: false });
    expect(await verifyAfter(15_000, list())).toEqual({ state: "again", afterSeconds: 40, isProcessing: false });
    expect(await verifyAfter(55_000, list())).toEqual({ state: "absent" });
    expect(await verifyAfter(55_000, list(), [], { sendCount: 2 })).toMatchObject({ state: "cannot_tell" });
  });

  test("is searched on further list pages while a page is full", async ({ expect }) => {
    const full = Array.from({ length: 100 }, () => listed({ commentary: "another" }));
    const client = scriptedClient(list(...full), list(listed()));
    const committed = createPost({ caption: "Out (v2) #now", committedAt: NOW, now: NOW + 20_000 }, PAGE);
    expect(await linkedin.verify(client, committed, createCommitRef([], NOW))).toMatchObject(publishedMatch);
    expect(client.requests.map((request) => request.url.searchParams.get("start"))).toEqual(["0", "100"]);
  });
});

describe("images", () => {
  test("are uploaded one by one with the token and their length, then polled", async ({ expect }) => {
    const client = captureBodies(scriptedClient(imageUpload("a"), 201, imageUpload("b"), 201));
    const pictures = createPost({
      media: [image({ sizeBytes: 1000 }), image({ sizeBytes: 700, contentType: "image/png" })],
    });
    const first = await linkedin.prepare(client, pictures, undefined);
    expect(first).toMatchObject({
      state: "again",
      cursor: { urns: ["urn:li:image:a", "urn:li:image:b"], uploadedAt: NOW },
    });
    expect(parseRequestBody(client.requests[0])).toEqual({ initializeUploadRequest: { owner: URN } });
    expect(client.requests[0]?.url.href).toBe("https://api.linkedin.com/rest/images?action=initializeUpload");
    const put = client.requests[3];
    expect(put?.method).toBe("PUT");
    expect(put?.headers.get("authorization")).toMatch(/^Bearer /);
    expect(put?.headers.get("content-type")).toBe("image/png");
    expect(put?.headers.get("content-length")).toBe("700");
    expect(client.bodies[3]?.byteLength).toBe(700);

    const cursor = first.state === "again" ? first.cursor : undefined;
    const processing = scriptedClient(status("AVAILABLE"), status("PROCESSING"));
    const second = await linkedin.prepare(processing, pictures, cursor);
    expect(second).toMatchObject({ state: "again", afterSeconds: 3, cursor: { availableCount: 1 } });
    expect(processing.requests[0]?.url.pathname).toBe("/rest/images/urn%3Ali%3Aimage%3Aa");
    const third = await linkedin.prepare(
      scriptedClient(status("AVAILABLE")),
      pictures,
      second.state === "again" ? second.cursor : undefined,
    );
    expect(third).toMatchObject({ state: "ready", ref: { urns: ["urn:li:image:a", "urn:li:image:b"] } });
  });

  test("whose status may not be read are presumed available after twenty seconds", async ({ expect }) => {
    const cursor = { kind: "images", urns: ["urn:li:image:a"], availableCount: 0, uploadedAt: NOW };
    const pictures = (now: number) => createPost({ media: [image()], now });
    expect(await linkedin.prepare(scriptedClient(forbidden), pictures(NOW + 4000), cursor)).toMatchObject({
      state: "again",
      afterSeconds: 16,
    });
    expect(await linkedin.prepare(scriptedClient(forbidden), pictures(NOW + 20_000), cursor)).toMatchObject({
      state: "ready",
    });
  });

  test.for<[string, ScriptedResponse, object]>([
    ["fail to process", status("PROCESSING_FAILED"), { fault: { kind: "rejected", code: "media_invalid" } }],
    ["are never processed", status("PROCESSING"), { fault: { kind: "rejected", code: "processing_failed" } }],
  ])("that %s are refused", async ([, script, expected], { expect }) => {
    const cursor = { kind: "images", urns: ["urn:li:image:a"], availableCount: 0, uploadedAt: NOW - 601_000 };
    expect(await linkedin.prepare(scriptedClient(script), createPost({ media: [image()] }), cursor)).toMatchObject(
      expected,
    );
  });

  test("that are uploaded already are not sent again after a lost connection", async ({ expect }) => {
    const pictures = createPost({ media: [image(), image(), image()] });
    const interrupted = await linkedin.prepare(
      captureBodies(scriptedClient(imageUpload("a"), 201, "connection_lost")),
      pictures,
      undefined,
    );
    expect(interrupted).toMatchObject({ state: "again", cursor: { urns: ["urn:li:image:a"] } });
    const client = captureBodies(scriptedClient(imageUpload("b"), 201, imageUpload("c"), 201));
    const resumed = await linkedin.prepare(
      client,
      pictures,
      interrupted.state === "again" ? interrupted.cursor : undefined,
    );
    expect(resumed).toMatchObject({ cursor: { urns: ["urn:li:image:a", "urn:li:image:b", "urn:li:image:c"] } });
    expect(client.requests).toHaveLength(4);
  });

  test("and the token are never sent to another host", async ({ expect }) => {
    for (const url of ["https://linkedin.com.example.com/up", "http://www.linkedin.com/up", "nonsense"]) {
      const client = scriptedClient(imageUpload("a", url), 201);
      expect(await linkedin.prepare(client, createPost({ media: [image()] }), undefined)).toMatchObject({
        state: "refused",
        fault: { kind: "temporary" },
      });
      expect(client.requests).toHaveLength(1);
    }
  });
});

describe("a video", () => {
  const size = 9 * MIB;
  const clip = createPost({ media: [video({ sizeBytes: size })] });
  const instructions = [0, 1, 2].map((part) => ({
    firstByte: part * 4 * MIB,
    lastByte: Math.min(size, (part + 1) * 4 * MIB) - 1,
    uploadUrl: `https://www.linkedin.com/dms-uploads/part${part}`,
  }));
  const videoUpload = (overrides: object = {}): ScriptedResponse => ({
    json: {
      value: {
        uploadUrlsExpireAt: NOW + 3_600_000,
        video: "urn:li:video:v",
        uploadToken: "",
        uploadInstructions: instructions,
        ...overrides,
      },
    },
  });
  const etag = (name: string): ScriptedResponse => ({ status: 200, headers: { etag: `"/ambry-videoei/${name}"` } });

  test("is uploaded in LinkedIn's parts without a token and finalized with their ETags", async ({ expect }) => {
    const client = captureBodies(scriptedClient(videoUpload(), etag("a"), etag("b"), etag("c"), 200));
    const outcome = await linkedin.prepare(client, clip, undefined);
    expect(outcome).toMatchObject({ state: "again", cursor: { stage: "processing" } });
    expect(parseRequestBody(client.requests[0])).toEqual({
      initializeUploadRequest: { owner: URN, fileSizeBytes: size, uploadCaptions: false, uploadThumbnail: false },
    });
    for (const [index, part] of instructions.entries()) {
      const sent = client.requests[index + 1];
      expect(sent?.headers.get("authorization")).toBeNull();
      expect(sent?.headers.get("content-type")).toBe("application/octet-stream");
      expect(sent?.headers.get("content-length")).toBe(String(part.lastByte - part.firstByte + 1));
      expect(client.bodies[index + 1]?.[0]).toBe(part.firstByte % 251);
    }
    expect(parseRequestBody(client.requests[4])).toEqual({
      finalizeUploadRequest: {
        video: "urn:li:video:v",
        uploadToken: "",
        uploadedPartIds: ["/ambry-videoei/a", "/ambry-videoei/b", "/ambry-videoei/c"],
      },
    });
  });

  test("continues at the first part that was not uploaded", async ({ expect }) => {
    const interrupted = await linkedin.prepare(
      captureBodies(scriptedClient(videoUpload(), etag("a"), "connection_lost")),
      clip,
      undefined,
    );
    expect(interrupted).toMatchObject({ state: "again", cursor: { etags: ["/ambry-videoei/a"] } });
    const client = captureBodies(scriptedClient(etag("b"), etag("c"), "connection_lost"));
    const lost = await linkedin.prepare(client, clip, interrupted.state === "again" ? interrupted.cursor : undefined);
    expect(client.requests[0]?.url.pathname).toBe("/dms-uploads/part1");
    expect(lost).toMatchObject({ state: "again", cursor: { stage: "processing" } });
    const cursor = lost.state === "again" ? lost.cursor : undefined;
    const unfinished = await linkedin.prepare(scriptedClient(status("WAITING_UPLOAD")), clip, cursor);
    expect(unfinished).toMatchObject({ state: "again", cursor: { stage: "finalize" } });
    const again = scriptedClient(200);
    await linkedin.prepare(again, clip, unfinished.state === "again" ? unfinished.cursor : undefined);
    expect(again.requests[0]?.url.search).toBe("?action=finalizeUpload");
    expect(await linkedin.prepare(scriptedClient(status("AVAILABLE")), clip, cursor)).toMatchObject({
      state: "ready",
      ref: { urns: ["urn:li:video:v"] },
    });
  });

  test("is started again when its upload URLs have expired, twice at most", async ({ expect }) => {
    const first = await linkedin.prepare(
      captureBodies(scriptedClient(videoUpload(), 403, videoUpload())),
      clip,
      undefined,
    );
    expect(first).toMatchObject({ state: "again", cursor: { restartCount: 1, etags: [] } });
    const late = { ...clip, now: NOW + 4_000_000 };
    const second = await linkedin.prepare(
      scriptedClient(videoUpload()),
      late,
      first.state === "again" ? first.cursor : undefined,
    );
    expect(second).toMatchObject({ state: "again", cursor: { restartCount: 2 } });
    const third = await linkedin.prepare(
      captureBodies(scriptedClient(403)),
      clip,
      second.state === "again" ? second.cursor : undefined,
    );
    expect(third).toMatchObject({ state: "refused", fault: { kind: "temporary" } });
  });

  test.for<[string, object]>([
    ["omit bytes", { uploadInstructions: instructions.slice(0, 2) }],
    ["overlap", { uploadInstructions: [instructions[0], instructions[0], instructions[2]] }],
    [
      "name another host",
      { uploadInstructions: [{ firstByte: 0, lastByte: size - 1, uploadUrl: "https://a.example.com/" }] },
    ],
  ])("upload instructions that %s are refused", async ([, overrides], { expect }) => {
    const client = scriptedClient(videoUpload(overrides));
    expect(await linkedin.prepare(client, clip, undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
    expect(client.requests).toHaveLength(1);
  });
});
