import { describe, test } from "vitest";
import { youtube } from "#platforms/youtube/index.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { NOW } from "../../support/adapter-inputs.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";
import {
  MIB,
  CHUNK_MULTIPLE,
  toJson,
  incomplete,
  videoCreated,
  apiError,
  videoJob,
  commitRef,
  contentRanges,
} from "./fixture.ts";

describe("commit", () => {
  const total = MIB + 5;
  const lastChunkRef = commitRef({ offset: MIB });

  test("sends the last bytes, which creates a video that is not processed yet", async ({ expect }) => {
    const client = captureBodies(scriptedClient(videoCreated()));
    expect(await youtube.commit(client, videoJob(total), lastChunkRef)).toEqual({
      state: "accepted",
      ref: commitRef({ offset: MIB, sendCount: 1, sentAt: NOW, videoId: "dQw4example" }),
      afterSeconds: 10,
    });
    expect(client.requests).toHaveLength(1);
    expect(contentRanges(client.requests)).toEqual([`bytes ${MIB}-${MIB + 4}/${total}`]);
    expect(client.bodies[0]).toEqual(Uint8Array.from({ length: 5 }, (_, index) => (MIB + index) % 251));
  });

  test("200 counts as success like 201", async ({ expect }) => {
    const client = captureBodies(scriptedClient({ status: 200, json: { id: "v" } }));
    expect(await youtube.commit(client, videoJob(total), lastChunkRef)).toMatchObject({
      state: "accepted",
      ref: { videoId: "v" },
    });
  });

  test("a video that is processed at once is published", async ({ expect }) => {
    const client = scriptedClient(videoCreated({ status: { uploadStatus: "processed" } }));
    expect(await youtube.commit(client, videoJob(total), lastChunkRef)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
  });

  test.for<[string, ScriptedResponse]>([
    ["a lost connection", "connection_lost"],
    ["500", 500],
    ["503", apiError(503, "backendError")],
    ["408", 408],
    ["a redirect", 302],
    ["201 without an id", { status: 201, json: { kind: "youtube#video" } }],
    ["200 without JSON", { text: "<html>" }],
    ["308 with all bytes stored", incomplete(total)],
    ["308 with none of the bytes stored", incomplete(MIB)],
  ])("after %s the outcome is uncertain", async ([, script], { expect }) => {
    const outcome = await youtube.commit(scriptedClient(script), videoJob(total), lastChunkRef);
    expect(outcome).toMatchObject({ state: "uncertain", ref: { offset: MIB, sendCount: 1, sentAt: NOW } });
    expect(JSON.stringify({ ...outcome, ref: null })).not.toContain("upload_id");
  });

  test("bytes that YouTube stored are not sent again", async ({ expect }) => {
    const outcome = await youtube.commit(scriptedClient(incomplete(MIB + 2)), videoJob(total), lastChunkRef);
    expect(outcome).toMatchObject({ state: "more", ref: { offset: MIB + 2 }, progress: null });
    const client = captureBodies(scriptedClient(videoCreated()));
    expect(
      await youtube.commit(client, videoJob(total), outcome.state === "more" ? toJson(outcome.ref) : null),
    ).toMatchObject({
      state: "accepted",
    });
    expect(contentRanges(client.requests)).toEqual([`bytes ${MIB + 2}-${MIB + 4}/${total}`]);
  });

  test("an upload that YouTube mostly lost is prepared again", async ({ expect }) => {
    expect(
      await youtube.commit(
        scriptedClient(incomplete(0)),
        videoJob(20 * MIB),
        commitRef({ offset: 20 * MIB - CHUNK_MULTIPLE }),
      ),
    ).toMatchObject({
      state: "stale",
    });
  });

  test("a missing session published nothing on the first call, and is uncertain after an uncertain one", async ({
    expect,
  }) => {
    expect(await youtube.commit(scriptedClient(404), videoJob(total), lastChunkRef)).toMatchObject({ state: "stale" });
    expect(
      await youtube.commit(scriptedClient(404), videoJob(total), commitRef({ offset: MIB, sendCount: 1 })),
    ).toMatchObject({
      state: "uncertain",
    });
  });

  test.for<[ScriptedResponse, object]>([
    [apiError(401, "authError"), { kind: "reconnect" }],
    [apiError(429, "rateLimitExceeded"), { kind: "rate_limited" }],
    [apiError(403, "quotaExceeded"), { kind: "rate_limited", category: "quota" }],
    [apiError(400, "uploadLimitExceeded"), { kind: "rate_limited" }],
    [apiError(400, "invalidDescription"), { kind: "rejected" }],
    [
      videoCreated({ status: { uploadStatus: "rejected", rejectionReason: "duplicate" } }),
      { code: "duplicate_content" },
    ],
    [videoCreated({ status: { uploadStatus: "failed", failureReason: "emptyFile" } }), { code: "media_invalid" }],
  ])("%j is a refusal", async ([script, fault], { expect }) => {
    expect(await youtube.commit(scriptedClient(script), videoJob(total), lastChunkRef)).toMatchObject({
      state: "refused",
      fault,
    });
  });
});
