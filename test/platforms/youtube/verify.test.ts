import { describe, test } from "vitest";
import type { Job } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, NOW } from "../../support/adapter-inputs.ts";
import {
  MIB,
  CHUNK_MULTIPLE,
  incomplete,
  videoCreated,
  apiError,
  videoJob,
  commitRef,
  contentRanges,
} from "./fixture.ts";

describe("verify", () => {
  const total = MIB + 5;
  const lastChunkRef = commitRef({ offset: MIB, sendCount: 1, sentAt: NOW });
  const jobAfter = (seconds: number, overrides: Partial<Job> = {}) =>
    videoJob(total, { committedAt: NOW, now: NOW + seconds * 1000, ...overrides });

  const look = (status: object | null, more: object = {}): ScriptedResponse => ({
    json: { items: status === null ? [] : [{ id: "dQw4example", status, ...more }] },
  });
  const PROCESSED = look({ uploadStatus: "processed" });

  test("queries the session, finds the video and reads what became of it", async ({ expect }) => {
    const client = scriptedClient(videoCreated(), PROCESSED);
    expect(await youtube.verify(client, jobAfter(1), lastChunkRef)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(contentRanges(client.requests)).toEqual([`bytes */${total}`, null]);
  });

  describe("of a video that YouTube received", () => {
    const receivedRef = commitRef({ offset: MIB, sendCount: 1, sentAt: NOW, videoId: "dQw4example" });
    const verifyAfter = async (seconds: number, script: ScriptedResponse) =>
      await youtube.verify(scriptedClient(script), jobAfter(seconds, { lastCommittedAt: NOW }), receivedRef);

    test("asks for its status only", async ({ expect }) => {
      const client = scriptedClient(PROCESSED);
      expect(await youtube.verify(client, jobAfter(10), receivedRef)).toEqual({
        state: "published",
        remoteId: "dQw4example",
        url: "https://www.youtube.com/watch?v=dQw4example",
      });
      expect(client.requests.map(({ url }) => url.pathname + url.search)).toEqual([
        "/youtube/v3/videos?part=status%2CprocessingDetails&id=dQw4example",
      ]);
    });

    test.for<[string, ScriptedResponse, object]>([
      [
        "processing succeeded",
        look({}, { processingDetails: { processingStatus: "succeeded" } }),
        { state: "published" },
      ],
      ["still uploaded", look({ uploadStatus: "uploaded" }), { state: "again", isProcessing: true }],
      ["processing", look({}, { processingDetails: { processingStatus: "processing" } }), { state: "again" }],
      [
        "failed",
        look({ uploadStatus: "failed", failureReason: "codec" }),
        { state: "refused", fault: { kind: "rejected", code: "media_invalid" } },
      ],
      [
        "rejected",
        look({ uploadStatus: "rejected", rejectionReason: "duplicate" }),
        { state: "refused", fault: { kind: "rejected", code: "duplicate_content" } },
      ],
      [
        "no longer there",
        look(null),
        {
          state: "cannot_tell",
          detail:
            "YouTube received the video and no longer has it: look at https://www.youtube.com/watch?v=dQw4example",
        },
      ],
      ["no JSON", { text: "<html>" }, { state: "again", isProcessing: true }],
      ["an outage", 503, { state: "again", isProcessing: true }],
      ["the daily quota", apiError(403, "quotaExceeded"), { state: "again", isProcessing: true }],
      ["a refused look", apiError(400, "badRequest"), { state: "again", isProcessing: false }],
      ["an ended login", apiError(401, "authError"), { state: "refused", fault: { kind: "reconnect" } }],
    ])("%s", async ([, script, outcome], { expect }) => {
      expect(await verifyAfter(60, script)).toMatchObject(outcome);
    });

    test("is looked at ever more rarely, so that 100 uploads that take a day fit into the quota", async ({
      expect,
    }) => {
      let seconds = 10;
      let looks = 0;
      while (seconds <= 24 * 3600) {
        const outcome = await verifyAfter(seconds, look({ uploadStatus: "uploaded" }));
        seconds += outcome.state === "again" ? outcome.afterSeconds : Number.NaN;
        looks += 1;
      }
      expect(looks).toBeGreaterThan(40);
      expect(looks).toBeLessThan(70);
    });
  });

  test.for<[string, ScriptedResponse, object]>([
    ["the last bytes are missing, so they may be sent again", incomplete(MIB), { state: "absent" }],
    [
      "a part of the last bytes arrived",
      incomplete(MIB + 3),
      { state: "more", ref: { offset: MIB + 3 }, progress: null },
    ],
    [
      "all bytes arrived and the video is still being created",
      incomplete(total),
      { state: "again", isProcessing: true },
    ],
    ["rejected", videoCreated({ status: { uploadStatus: "rejected" } }), { state: "refused" }],
    ["the login is no longer valid", apiError(401, "authError"), { state: "refused", fault: { kind: "reconnect" } }],
    ["no usable response", 503, { state: "again", isProcessing: false }],
    ["quota", apiError(403, "quotaExceeded"), { state: "again", isProcessing: false }],
    ["a refusal is no proof of absence", apiError(400, "badRequest"), { state: "again", isProcessing: false }],
  ])("%s", async ([, script, outcome], { expect }) => {
    expect(await youtube.verify(scriptedClient(script), jobAfter(1), lastChunkRef)).toMatchObject(outcome);
  });

  test("an upload that YouTube mostly lost is prepared again", async ({ expect }) => {
    const lostRef = commitRef({ offset: 20 * MIB - CHUNK_MULTIPLE, sendCount: 1 });
    expect(await youtube.verify(scriptedClient(incomplete(0)), videoJob(20 * MIB), lostRef)).toMatchObject({
      state: "stale",
    });
  });

  test("retries an outage with growing intervals", async ({ expect }) => {
    const waits = [];
    for (const seconds of [1, 10, 100, 1000]) {
      const outcome = await youtube.verify(scriptedClient(503), jobAfter(seconds), lastChunkRef);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
    }
    expect(waits).toEqual([5, 30, 300, 900]);
  });

  describe("when the session is missing, the list of uploads is searched", () => {
    const listed = (id: string, overrides: object = {}, published = "2030-01-01T12:00:30Z") => ({
      snippet: {
        title: "How to glaze a bowl",
        description: "Release notes are out",
        publishedAt: published,
        resourceId: { videoId: id },
        ...overrides,
      },
      contentDetails: { videoId: id, videoPublishedAt: published },
    });
    const list = (...items: object[]): ScriptedResponse => ({ json: { items } });

    test("by title, description and time", async ({ expect }) => {
      const client = scriptedClient(
        410,
        list(
          listed("other", { title: "Another" }),
          listed("text", { description: "Another" }),
          listed("old", {}, "2029-12-31T12:00:00Z"),
          listed("mine", { title: "How to  glaze a bowl " }),
        ),
        { json: { items: [{ id: "mine", status: { uploadStatus: "processed" } }] } },
      );
      expect(await youtube.verify(client, jobAfter(60), lastChunkRef)).toMatchObject({
        state: "published",
        remoteId: "mine",
      });
      expect(client.requests[1]?.url.searchParams.get("playlistId")).toBe("UUa");
    });

    test("the playlist's id is derived from the channel's id", async ({ expect }) => {
      const client = scriptedClient(404, list());
      await youtube.verify(
        client,
        jobAfter(60, { account: accountAccess({ platformAccountId: "UCxyz" }) }),
        lastChunkRef,
      );
      expect(client.requests[1]?.url.searchParams.get("playlistId")).toBe("UUxyz");
    });

    test("a video that is not listed is searched for again, then uncertain: it is never sent twice", async ({
      expect,
    }) => {
      expect(await youtube.verify(scriptedClient(404, list()), jobAfter(60), lastChunkRef)).toMatchObject({
        state: "again",
        isProcessing: false,
      });
      expect(await youtube.verify(scriptedClient(404, list()), jobAfter(301), lastChunkRef)).toMatchObject({
        state: "cannot_tell",
      });
      expect(
        await youtube.verify(scriptedClient(404, list(listed("a"), listed("b"))), jobAfter(60), lastChunkRef),
      ).toMatchObject({
        state: "cannot_tell",
      });
      expect(await youtube.verify(scriptedClient(404, 503), jobAfter(1000), lastChunkRef)).toMatchObject({
        state: "again",
        isProcessing: false,
      });
    });
  });
});
