import { describe, test } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { Job } from "#platforms/contract.ts";
import { linkedin } from "#platforms/linkedin/index.ts";
import { createCommitRef } from "#platforms/linkedin/refs.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-client.ts";
import { accountAccess, image, job, type JobOverrides, NOW, video } from "../../support/job-fixtures.ts";
import { captureBodies } from "../../support/body-capture.ts";

const MEMBER: JsonObject = { kind: "member", canList: false, profile: "userinfo" };
const PAGE: JsonObject = { kind: "organization", canList: true, profile: "userinfo" };
const URN = "urn:li:person:AbC123xyz";
const MIB = 1024 ** 2;

function post(parts: JobOverrides = {}, capabilities = MEMBER, settings: Record<string, string> = {}): Job {
  const account = accountAccess({
    platformAccountId: capabilities === MEMBER ? URN : "urn:li:organization:5515715",
    capabilities,
  });
  return job({ account: { ...account, app: { ...account.app, settings } }, ...parts });
}

const created: ScriptedResponse = { status: 201, headers: { "x-restli-id": "urn:li:share:7190" } };
const imageBegun = (id: string, uploadUrl = `https://www.linkedin.com/dms-uploads/${id}`): ScriptedResponse => ({
  json: { value: { uploadUrlExpiresAt: NOW + 1e6, uploadUrl, image: `urn:li:image:${id}` } },
});
const status = (word: string): ScriptedResponse => ({ json: { status: word } });
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
    const outcome = await linkedin.commit(client, post({ caption: "Out (v2) #now" }), createCommitRef([], NOW));
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
    await linkedin.commit(client, post({}, MEMBER, { API_VERSION: "202711" }), createCommitRef([], NOW));
    expect(client.requests[0]?.headers.get("linkedin-version")).toBe("202711");
  });

  test("shows one image as media and several as multiImage", async ({ expect }) => {
    const client = scriptedClient(created);
    await linkedin.commit(client, post(), createCommitRef(["urn:li:image:a"], NOW));
    await linkedin.commit(client, post(), createCommitRef(["urn:li:image:a", "urn:li:image:b"], NOW));
    expect(client.requests.map((sent) => parseRequestBody(sent)["content"])).toEqual([
      { media: { id: "urn:li:image:a" } },
      { multiImage: { images: [{ id: "urn:li:image:a" }, { id: "urn:li:image:b" }] } },
    ]);
  });

  test("without the id in its answer is asked about again", async ({ expect }) => {
    const outcome = await linkedin.commit(scriptedClient(201), post(), createCommitRef([], NOW));
    expect(outcome).toMatchObject({ state: "uncertain", httpStatus: 201, ref: { sendCount: 1, firstSentAt: NOW } });
  });

  test("that comes before the media is ready is made again at no cost, for ten minutes", async ({ expect }) => {
    const waiting: ScriptedResponse = { status: 400, json: { code: "MEDIA_ASSET_WAITING_UPLOAD", message: "wait" } };
    const ref = createCommitRef(["urn:li:image:a"], NOW - 60_000);
    expect(await linkedin.commit(scriptedClient(waiting), post(), ref)).toMatchObject({
      state: "refused",
      fault: { kind: "rate_limited", code: "media_processing", retryAfterSeconds: 15 },
    });
    expect(await linkedin.commit(scriptedClient(forbidden), post(), ref)).toMatchObject({
      fault: { kind: "rate_limited", code: "media_processing" },
    });
    const old = createCommitRef(["urn:li:image:a"], NOW - 601_000);
    expect(await linkedin.commit(scriptedClient(waiting), post(), old)).toMatchObject({
      fault: { kind: "rejected", code: "processing_failed" },
    });
  });

  test("with an upload that LinkedIn no longer waits for is prepared anew", async ({ expect }) => {
    const expired: ScriptedResponse = { status: 400, json: { code: "EXPIRED_UPLOAD_URL", message: "late" } };
    expect(await linkedin.commit(scriptedClient(expired), post(), createCommitRef(["urn:li:image:a"], NOW))).toMatchObject({
      state: "stale",
    });
  });
});

describe("a duplicate", () => {
  const sent = { ...createCommitRef([], NOW - 50_000), sendCount: 1, firstSentAt: NOW - 50_000, sentAt: NOW - 50_000 };

  test("of a post that was sent for the first time is refused", async ({ expect }) => {
    expect(await linkedin.commit(scriptedClient(duplicate), post({ committedAt: NOW }), createCommitRef([], NOW))).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "duplicate_content" },
    });
  });

  test("after a call of unknown fate is its proof", async ({ expect }) => {
    const expected = { state: "published", remoteId: "urn:li:share:7141" };
    const committed = post({ committedAt: NOW - 50_000 });
    expect(await linkedin.commit(scriptedClient(duplicate), committed, sent)).toMatchObject(expected);
    // The process died around the first call, so that its reference knows of none.
    expect(await linkedin.commit(scriptedClient(duplicate), committed, createCommitRef([], NOW))).toMatchObject(expected);
  });

  test("that names nothing leaves it unknown", async ({ expect }) => {
    const nameless: ScriptedResponse = { status: 422, json: { errorDetails: { inputErrors: [{ code: "DUPLICATE_POST" }] } } };
    const outcome = await linkedin.commit(scriptedClient(nameless), post({ committedAt: NOW - 50_000 }), sent);
    expect(outcome).toMatchObject({ state: "uncertain", ref: { duplicate: true } });
    const ref = outcome.state === "uncertain" ? (outcome.ref ?? null) : null;
    expect(await linkedin.verify(scriptedClient(500), post({ committedAt: NOW - 50_000 }), ref)).toMatchObject({
      state: "cannot_tell",
    });
  });

  test.for([401, 403, 429])(
    "a repetition refused with %i says nothing about the first call",
    async (code, { expect }) => {
      const committed = { committedAt: NOW - 50_000 };
      expect(await linkedin.commit(scriptedClient(code), post(committed), sent)).toMatchObject({ state: "uncertain" });
      // A page has looked before it sent again.
      expect(await linkedin.commit(scriptedClient(code), post(committed, PAGE), sent)).toMatchObject({ state: "refused" });
    },
  );
});

describe("a member's post of unknown fate", () => {
  const who: ScriptedResponse = { json: { sub: "AbC123xyz", name: "Ada" } };
  const looked = async (elapsedMs: number, script: ScriptedResponse, over: object = {}, settings = {}) => {
    const client = scriptedClient(script);
    const committed = post({ committedAt: NOW, now: NOW + elapsedMs }, MEMBER, settings);
    return { outcome: await linkedin.verify(client, committed, { ...createCommitRef([], NOW), ...over }), client };
  };

  test("is sent again between 45 seconds and nine minutes", async ({ expect }) => {
    expect((await looked(1000, who)).outcome).toEqual({ state: "again", afterSeconds: 44, isProcessing: false });
    expect((await looked(45_000, who)).outcome).toEqual({ state: "absent" });
    expect((await looked(539_000, who)).outcome).toEqual({ state: "absent" });
    expect((await looked(540_000, who)).outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("only once, and never where the operator says so", async ({ expect }) => {
    expect((await looked(60_000, who, { sendCount: 1 })).outcome).toEqual({ state: "absent" });
    expect((await looked(60_000, who, { sendCount: 2 })).outcome).toMatchObject({ state: "cannot_tell" });
    expect((await looked(60_000, who, {}, { RESEND: "never" })).outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("waits while LinkedIn does not answer", async ({ expect }) => {
    for (const script of [503, "connection_lost", { text: "<html>" }] as const) {
      expect((await looked(60_000, script)).outcome).toMatchObject({ state: "again", isProcessing: false });
    }
    expect((await looked(60_000, 401)).outcome).toMatchObject({ state: "refused", fault: { kind: "reconnect" } });
  });
});

describe("a page's post of unknown fate", () => {
  const list = (...elements: object[]): ScriptedResponse => ({ json: { elements } });
  const looked = async (elapsedMs: number, script: ScriptedResponse, urns: string[] = [], over: object = {}) =>
    await linkedin.verify(
      scriptedClient(script),
      post({ caption: "Out (v2) #now", committedAt: NOW, now: NOW + elapsedMs }, PAGE),
      { ...createCommitRef(urns, NOW), ...over },
    );
  const listed = (over: object = {}) => ({
    id: "urn:li:share:1",
    commentary: "Out \\(v2\\) {hashtag|\\#|now}",
    createdAt: NOW + 500,
    ...over,
  });
  const found = { state: "published", remoteId: "urn:li:share:1" };

  test("asks the finder of the page", async ({ expect }) => {
    const client = scriptedClient(list());
    await linkedin.verify(client, post({ committedAt: NOW, now: NOW + 20_000 }, PAGE), createCommitRef([], NOW));
    const [sent] = client.requests;
    expect(sent?.headers.get("x-restli-method")).toBe("FINDER");
    expect(Object.fromEntries(sent?.url.searchParams ?? [])).toMatchObject({
      q: "author",
      author: "urn:li:organization:5515715",
      sortBy: "LAST_MODIFIED",
    });
  });

  test("is known by its words, escapes removed, and by when it was made", async ({ expect }) => {
    expect(await looked(20_000, list(listed()))).toMatchObject(found);
    expect(await looked(20_000, list(listed({ commentary: "Out (v2) #now" })))).toMatchObject(found);
    expect(await looked(20_000, list(listed({ createdAt: NOW - 60_000 })))).toMatchObject({ state: "again" });
    expect(await looked(20_000, list(listed({ commentary: "Out" })))).toMatchObject({ state: "again" });
    expect(await looked(20_000, list(listed({ content: { media: { id: "urn:li:image:z" } } })))).toMatchObject({
      state: "again",
    });
  });

  test("is known by its media alone where it has some", async ({ expect }) => {
    const media = listed({ commentary: "changed by LinkedIn", content: { media: { id: "urn:li:image:a" } } });
    const several = listed({
      content: { multiImage: { images: [{ id: "urn:li:image:a" }, { id: "urn:li:image:b" }] } },
    });
    expect(await looked(20_000, list(media), ["urn:li:image:a"])).toMatchObject(found);
    expect(await looked(20_000, list(several), ["urn:li:image:a", "urn:li:image:b"])).toMatchObject(found);
    expect(await looked(20_000, list(listed()), ["urn:li:image:a"])).toMatchObject({ state: "again" });
  });

  test("is denied after two looks, once", async ({ expect }) => {
    expect(await looked(1000, 500)).toEqual({ state: "again", afterSeconds: 14, isProcessing: false });
    expect(await looked(15_000, list())).toEqual({ state: "again", afterSeconds: 40, isProcessing: false });
    expect(await looked(55_000, list())).toEqual({ state: "absent" });
    expect(await looked(55_000, list(), [], { sendCount: 2 })).toMatchObject({ state: "cannot_tell" });
  });

  test("reads on while a page of the list is full", async ({ expect }) => {
    const full = Array.from({ length: 100 }, () => listed({ commentary: "another" }));
    const client = scriptedClient(list(...full), list(listed()));
    const committed = post({ caption: "Out (v2) #now", committedAt: NOW, now: NOW + 20_000 }, PAGE);
    expect(await linkedin.verify(client, committed, createCommitRef([], NOW))).toMatchObject(found);
    expect(client.requests.map((sent) => sent.url.searchParams.get("start"))).toEqual(["0", "100"]);
  });
});

describe("images", () => {
  test("go up one by one, whole, with the token and their length, and are waited for", async ({ expect }) => {
    const client = captureBodies(scriptedClient(imageBegun("a"), 201, imageBegun("b"), 201));
    const pictures = post({ media: [image({ sizeBytes: 1000 }), image({ sizeBytes: 700, contentType: "image/png" })] });
    const first = await linkedin.prepare(client, pictures, undefined);
    expect(first).toMatchObject({ state: "again", cursor: { urns: ["urn:li:image:a", "urn:li:image:b"], uploadedAt: NOW } });
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

  test("that nobody may look at are given twenty seconds", async ({ expect }) => {
    const cursor = { kind: "images", urns: ["urn:li:image:a"], availableCount: 0, uploadedAt: NOW };
    const pictures = (now: number) => post({ media: [image()], now });
    expect(await linkedin.prepare(scriptedClient(forbidden), pictures(NOW + 4000), cursor)).toMatchObject({
      state: "again",
      afterSeconds: 16,
    });
    expect(await linkedin.prepare(scriptedClient(forbidden), pictures(NOW + 20_000), cursor)).toMatchObject({
      state: "ready",
    });
  });

  test.for<[string, ScriptedResponse, object]>([
    ["fail", status("PROCESSING_FAILED"), { fault: { kind: "rejected", code: "media_invalid" } }],
    ["never end", status("PROCESSING"), { fault: { kind: "rejected", code: "processing_failed" } }],
  ])("that %s end the post", async ([, script, expected], { expect }) => {
    const cursor = { kind: "images", urns: ["urn:li:image:a"], availableCount: 0, uploadedAt: NOW - 601_000 };
    expect(await linkedin.prepare(scriptedClient(script), post({ media: [image()] }), cursor)).toMatchObject(expected);
  });

  test("that LinkedIn has are not sent again after a break", async ({ expect }) => {
    const pictures = post({ media: [image(), image(), image()] });
    const broken = await linkedin.prepare(captureBodies(scriptedClient(imageBegun("a"), 201, "connection_lost")), pictures, undefined);
    expect(broken).toMatchObject({ state: "again", cursor: { urns: ["urn:li:image:a"] } });
    const client = captureBodies(scriptedClient(imageBegun("b"), 201, imageBegun("c"), 201));
    const resumed = await linkedin.prepare(client, pictures, broken.state === "again" ? broken.cursor : undefined);
    expect(resumed).toMatchObject({ cursor: { urns: ["urn:li:image:a", "urn:li:image:b", "urn:li:image:c"] } });
    expect(client.requests).toHaveLength(4);
  });

  test("and the token never go to a stranger", async ({ expect }) => {
    for (const url of ["https://linkedin.com.example.com/up", "http://www.linkedin.com/up", "nonsense"]) {
      const client = scriptedClient(imageBegun("a", url), 201);
      expect(await linkedin.prepare(client, post({ media: [image()] }), undefined)).toMatchObject({
        state: "refused",
        fault: { kind: "temporary" },
      });
      expect(client.requests).toHaveLength(1);
    }
  });
});

describe("a video", () => {
  const size = 9 * MIB;
  const clip = post({ media: [video({ sizeBytes: size })] });
  const instructions = [0, 1, 2].map((part) => ({
    firstByte: part * 4 * MIB,
    lastByte: Math.min(size, (part + 1) * 4 * MIB) - 1,
    uploadUrl: `https://www.linkedin.com/dms-uploads/part${part}`,
  }));
  const begun = (over: object = {}): ScriptedResponse => ({
    json: {
      value: {
        uploadUrlsExpireAt: NOW + 3_600_000,
        video: "urn:li:video:v",
        uploadToken: "",
        uploadInstructions: instructions,
        ...over,
      },
    },
  });
  const etag = (name: string): ScriptedResponse => ({ status: 200, headers: { etag: `"/ambry-videoei/${name}"` } });

  test("goes up in the parts LinkedIn cuts, without a token, and ends with their names", async ({ expect }) => {
    const client = captureBodies(scriptedClient(begun(), etag("a"), etag("b"), etag("c"), 200));
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

  test("goes on where it broke", async ({ expect }) => {
    const broken = await linkedin.prepare(captureBodies(scriptedClient(begun(), etag("a"), "connection_lost")), clip, undefined);
    expect(broken).toMatchObject({ state: "again", cursor: { etags: ["/ambry-videoei/a"] } });
    const client = captureBodies(scriptedClient(etag("b"), etag("c"), "connection_lost"));
    const lost = await linkedin.prepare(client, clip, broken.state === "again" ? broken.cursor : undefined);
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

  test("is begun again when its addresses have expired, twice at most", async ({ expect }) => {
    const first = await linkedin.prepare(captureBodies(scriptedClient(begun(), 403, begun())), clip, undefined);
    expect(first).toMatchObject({ state: "again", cursor: { restartCount: 1, etags: [] } });
    const late = { ...clip, now: NOW + 4_000_000 };
    const second = await linkedin.prepare(scriptedClient(begun()), late, first.state === "again" ? first.cursor : undefined);
    expect(second).toMatchObject({ state: "again", cursor: { restartCount: 2 } });
    const third = await linkedin.prepare(
      captureBodies(scriptedClient(403)),
      clip,
      second.state === "again" ? second.cursor : undefined,
    );
    expect(third).toMatchObject({ state: "refused", fault: { kind: "temporary" } });
  });

  test.for<[string, object]>([
    ["leave bytes out", { uploadInstructions: instructions.slice(0, 2) }],
    ["overlap", { uploadInstructions: [instructions[0], instructions[0], instructions[2]] }],
    [
      "lead to a stranger",
      { uploadInstructions: [{ firstByte: 0, lastByte: size - 1, uploadUrl: "https://a.example.com/" }] },
    ],
  ])("instructions that %s are not followed", async ([, over], { expect }) => {
    const client = scriptedClient(begun(over));
    expect(await linkedin.prepare(client, clip, undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
    expect(client.requests).toHaveLength(1);
  });
});
