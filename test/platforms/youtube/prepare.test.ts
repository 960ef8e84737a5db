import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { video } from "../../support/adapter-inputs.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";
import {
  MIB,
  CHUNK_MULTIPLE,
  SESSION_URL,
  sessionStarted,
  incomplete,
  apiError,
  videoJob,
  zeroFilledVideoJob,
  cursor,
  contentRanges,
  cursorOf,
} from "./fixture.ts";

describe("prepare", () => {
  test("starts a session and returns its URL before the first byte", async ({ expect }) => {
    const client = captureBodies(scriptedClient(sessionStarted));
    const outcome = await youtube.prepare(client, videoJob(MIB), undefined);
    expect(outcome).toEqual({ state: "again", afterSeconds: 0, cursor: cursor() });
    const [sent] = client.requests;
    expect(client.requests).toHaveLength(1);
    expect(sent?.method).toBe("POST");
    expect(sent?.url.origin + (sent?.url.pathname ?? "")).toBe("https://www.googleapis.com/upload/youtube/v3/videos");
    expect(Object.fromEntries(sent?.url.searchParams ?? [])).toEqual({
      uploadType: "resumable",
      part: "snippet,status",
      notifySubscribers: "true",
    });
    expect(sent?.headers.get("x-upload-content-type")).toBe("video/mp4");
    expect(sent?.headers.get("x-upload-content-length")).toBe(String(MIB));
    expect(parseRequestBody(sent)).toEqual({
      snippet: { title: "How to glaze a bowl", description: "Release notes are out", categoryId: "22" },
      status: { privacyStatus: "public", selfDeclaredMadeForKids: false },
    });
  });

  test("sends made_for_kids", async ({ expect }) => {
    const client = scriptedClient(sessionStarted);
    await youtube.prepare(client, videoJob(MIB, { options: { title: "T", made_for_kids: true } }), undefined);
    expect(parseRequestBody(client.requests[0])).toMatchObject({
      status: { privacyStatus: "public", selfDeclaredMadeForKids: true },
    });
  });

  test.for<[string, ScriptedResponse]>([
    ["no URL", 200],
    ["another host", { headers: { location: "https://www.googleapis.com.example.com/upload" } }],
    ["not HTTPS", { headers: { location: "http://www.googleapis.com/upload" } }],
  ])("refuses a session URL that is not YouTube's: %s", async ([, script], { expect }) => {
    expect(await youtube.prepare(scriptedClient(script), videoJob(MIB), undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test.for<[number, string, object]>([
    [403, "quotaExceeded", { kind: "rate_limited", whoMustAct: "operator" }],
    [400, "uploadLimitExceeded", { kind: "rate_limited" }],
    [400, "invalidTitle", { kind: "rejected" }],
    [401, "authError", { kind: "reconnect" }],
    [403, "insufficientPermissions", { kind: "reconnect", code: "missing_scope" }],
    [503, "backendError", { kind: "temporary" }],
  ])("maps a refused session start: %i %s", async ([status, reason, fault], { expect }) => {
    expect(await youtube.prepare(scriptedClient(apiError(status, reason)), videoJob(MIB), undefined)).toMatchObject({
      state: "refused",
      fault,
    });
  });

  test("a small file is sent only by commit", async ({ expect }) => {
    for (const sizeBytes of [1, CHUNK_MULTIPLE]) {
      const client = scriptedClient(500);
      expect(await youtube.prepare(client, videoJob(sizeBytes), cursor())).toMatchObject({
        state: "ready",
        ref: { sessionUrl: SESSION_URL, offset: 0 },
      });
      expect(client.requests).toHaveLength(0);
    }
  });

  test("sends multiples of 256 KiB and leaves the last chunk", async ({ expect }) => {
    const total = 9 * MIB + 5;
    const client = captureBodies(scriptedClient(incomplete(8 * MIB), incomplete(9 * MIB)));
    expect(await youtube.prepare(client, videoJob(total), cursor())).toMatchObject({
      state: "ready",
      ref: { sessionUrl: SESSION_URL, offset: 9 * MIB, sendCount: 0 },
      expiresAt: expect.any(Number),
    });
    expect(client.requests.map((request) => `${request.method} ${request.url.href}`)).toEqual(
      Array(2).fill(`PUT ${SESSION_URL}`),
    );
    expect(contentRanges(client.requests)).toEqual([
      `bytes 0-${8 * MIB - 1}/${total}`,
      `bytes ${8 * MIB}-${9 * MIB - 1}/${total}`,
    ]);
    expect(client.bodies.map((bytes) => bytes.length)).toEqual([8 * MIB, MIB]);
    expect(client.bodies[1]?.slice(0, 3)).toEqual(Uint8Array.from([0, 1, 2].map((index) => (8 * MIB + index) % 251)));
    expect(client.requests[0]?.headers.get("content-type")).toBe("video/mp4");
    expect(client.requests[0]?.headers.get("authorization")).toMatch(/^Bearer /);
  });

  test("a file of exactly two multiples leaves a whole one", async ({ expect }) => {
    const client = captureBodies(scriptedClient(incomplete(CHUNK_MULTIPLE)));
    expect(await youtube.prepare(client, videoJob(2 * CHUNK_MULTIPLE), cursor())).toMatchObject({
      ref: { offset: CHUNK_MULTIPLE },
    });
    expect(contentRanges(client.requests)).toEqual([`bytes 0-${CHUNK_MULTIPLE - 1}/${2 * CHUNK_MULTIPLE}`]);
  });

  test("continues at the offset that YouTube reports, not where it stopped sending", async ({ expect }) => {
    const total = 9 * MIB;
    const client = captureBodies(scriptedClient(incomplete(4 * MIB), incomplete(total - CHUNK_MULTIPLE)));
    expect(await youtube.prepare(client, videoJob(total), cursor())).toMatchObject({
      ref: { offset: total - CHUNK_MULTIPLE },
    });
    expect(contentRanges(client.requests)[1]).toBe(`bytes ${4 * MIB}-${total - CHUNK_MULTIPLE - 1}/${total}`);
  });

  test("sends at most 32 MiB per step and continues from its cursor", async ({ expect }) => {
    const total = 40 * MIB;
    let storedBytes = 0;
    const client = captureBodies(
      scriptedClient(() => {
        storedBytes = Math.min(total - CHUNK_MULTIPLE, storedBytes + 8 * MIB);
        return incomplete(storedBytes);
      }),
    );
    const first = await youtube.prepare(client, zeroFilledVideoJob(total), cursor());
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { offset: 32 * MIB } });
    expect(client.requests).toHaveLength(4);
    expect(await youtube.prepare(client, zeroFilledVideoJob(total), cursorOf(first))).toMatchObject({
      state: "ready",
      ref: { offset: total - CHUNK_MULTIPLE },
    });
    expect(contentRanges(client.requests)[4]).toBe(`bytes ${32 * MIB}-${total - CHUNK_MULTIPLE - 1}/${total}`);
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["503", 503],
    ["500 with an error body", apiError(500, "backendError")],
    ["an HTML page", { text: "<html>" }],
  ])("after %s it queries the offset before it sends more", async ([, script], { expect }) => {
    const total = 9 * MIB;
    const interrupted = await youtube.prepare(
      captureBodies(scriptedClient(incomplete(8 * MIB), script)),
      videoJob(total),
      cursor(),
    );
    expect(interrupted).toMatchObject({
      state: "again",
      afterSeconds: 1,
      cursor: { offset: 8 * MIB, offsetUnknown: true, failureCount: 1 },
    });
    const client = captureBodies(
      scriptedClient(incomplete(8 * MIB + CHUNK_MULTIPLE), incomplete(total - CHUNK_MULTIPLE)),
    );
    expect(await youtube.prepare(client, videoJob(total), cursorOf(interrupted))).toMatchObject({ state: "ready" });
    expect(contentRanges(client.requests)).toEqual([
      `bytes */${total}`,
      `bytes ${8 * MIB + CHUNK_MULTIPLE}-${total - CHUNK_MULTIPLE - 1}/${total}`,
    ]);
    expect(client.requests[0]?.headers.get("content-length")).toBe("0");
  });

  test("waits longer each time and finally reports a temporary fault", async ({ expect }) => {
    let nextCursor: JsonValue = cursor();
    const waits: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const outcome = await youtube.prepare(scriptedClient(503), videoJob(MIB), nextCursor);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
      nextCursor = cursorOf(outcome);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16]);
    expect(await youtube.prepare(scriptedClient(503), videoJob(MIB), nextCursor)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
    // The same cursor works once YouTube does.
    expect(
      await youtube.prepare(
        captureBodies(scriptedClient(incomplete(0), incomplete(MIB - CHUNK_MULTIPLE))),
        videoJob(MIB),
        nextCursor,
      ),
    ).toMatchObject({
      state: "ready",
    });
  });

  test("a session that never stores any bytes is abandoned", async ({ expect }) => {
    const nextCursor = cursorOf(
      await youtube.prepare(captureBodies(scriptedClient(incomplete(0))), videoJob(MIB), cursor()),
    );
    expect(
      await youtube.prepare(captureBodies(scriptedClient(incomplete(0))), videoJob(MIB), nextCursor),
    ).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test.for([404, 410])("a session that answers %i is started again, at most twice", async (status, { expect }) => {
    const client = scriptedClient(status, { headers: { location: `${SESSION_URL}2` } });
    expect(await youtube.prepare(client, videoJob(MIB), cursor({ offset: CHUNK_MULTIPLE }))).toMatchObject({
      state: "again",
      afterSeconds: 0,
      cursor: { sessionUrl: `${SESSION_URL}2`, offset: 0, restartCount: 1 },
    });
    expect(await youtube.prepare(scriptedClient(status), videoJob(MIB), cursor({ restartCount: 2 }))).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test("a refusal during the upload is a refusal", async ({ expect }) => {
    expect(await youtube.prepare(scriptedClient(apiError(401, "authError")), videoJob(MIB), cursor())).toMatchObject({
      fault: { kind: "reconnect" },
    });
    expect(
      await youtube.prepare(scriptedClient(apiError(403, "quotaExceeded")), videoJob(MIB), cursor()),
    ).toMatchObject({
      fault: { kind: "rate_limited", code: "quota_exceeded" },
    });
  });

  test("a missing stored file throws instead of blaming YouTube", async ({ expect }) => {
    const read = () => Promise.reject(new Error("stored media is missing"));
    const whole = videoJob(MIB);
    const broken = { ...whole, media: whole.media.map((media) => ({ ...media, read })) };
    const client = scriptedClient(500);
    await expect(youtube.prepare(client, broken, cursor())).rejects.toThrow("stored media is missing");
    expect(client.requests).toHaveLength(0);
  });

  test("starts earlier for large files", ({ expect }) => {
    const small = youtube.prepareAheadMs({ media: [video()] });
    expect(youtube.prepareAheadMs({ media: [video({ sizeBytes: 1024 * MIB })] })).toBeGreaterThan(small + 400_000);
  });
});
