import { describe, test } from "vitest";
import { youtube } from "#platforms/youtube/index.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-client.ts";
import { NOW } from "../../support/job-fixtures.ts";
import { captureBodies } from "../../support/body-capture.ts";
import { MIB, CHUNK_MULTIPLE, toJson, incomplete, videoCreated, apiError, videoJob, commitRef, contentRanges } from "./fixture.ts";

describe("commit", () => {
  const total = MIB + 5;
  const last = commitRef({ offset: MIB });

  test("sends the last bytes, and with them the video is there", async ({ expect }) => {
    const client = captureBodies(scriptedClient(videoCreated()));
    expect(await youtube.commit(client, videoJob(total), last)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(client.requests).toHaveLength(1);
    expect(contentRanges(client.requests)).toEqual([`bytes ${MIB}-${MIB + 4}/${total}`]);
    expect(client.bodies[0]).toEqual(Uint8Array.from({ length: 5 }, (_, index) => (MIB + index) % 251));
  });

  test("200 is as good as 201", async ({ expect }) => {
    const client = captureBodies(scriptedClient({ status: 200, json: { id: "v" } }));
    expect(await youtube.commit(client, videoJob(total), last)).toMatchObject({ state: "published", remoteId: "v" });
  });

  test.for<[string, ScriptedResponse]>([
    ["a cut", "cut"],
    ["500", 500],
    ["503", apiError(503, "backendError")],
    ["408", 408],
    ["a redirect", 302],
    ["201 without an id", { status: 201, json: { kind: "youtube#video" } }],
    ["200 that is no JSON", { text: "<html>" }],
    ["308 for all of it", incomplete(total)],
    ["308 for nothing of it", incomplete(MIB)],
  ])("after %s nothing is known", async ([, script], { expect }) => {
    const outcome = await youtube.commit(scriptedClient(script), videoJob(total), last);
    expect(outcome).toMatchObject({ state: "uncertain", ref: { offset: MIB, sendCount: 1, sentAt: NOW } });
    expect(JSON.stringify({ ...outcome, ref: null })).not.toContain("upload_id");
  });

  test("a part that was kept is not sent again", async ({ expect }) => {
    const outcome = await youtube.commit(scriptedClient(incomplete(MIB + 2)), videoJob(total), last);
    expect(outcome).toMatchObject({ state: "more", ref: { offset: MIB + 2 }, progress: null });
    const client = captureBodies(scriptedClient(videoCreated()));
    expect(
      await youtube.commit(client, videoJob(total), outcome.state === "more" ? toJson(outcome.ref) : null),
    ).toMatchObject({
      state: "published",
    });
    expect(contentRanges(client.requests)).toEqual([`bytes ${MIB + 2}-${MIB + 4}/${total}`]);
  });

  test("an upload that was mostly lost is made anew", async ({ expect }) => {
    expect(await youtube.commit(scriptedClient(incomplete(0)), videoJob(20 * MIB), commitRef({ offset: 20 * MIB - CHUNK_MULTIPLE }))).toMatchObject({
      state: "stale",
    });
  });

  test("a session that is gone published nothing the first time; after doubt it may have", async ({ expect }) => {
    expect(await youtube.commit(scriptedClient(404), videoJob(total), last)).toMatchObject({ state: "stale" });
    expect(await youtube.commit(scriptedClient(404), videoJob(total), commitRef({ offset: MIB, sendCount: 1 }))).toMatchObject({
      state: "uncertain",
    });
  });

  test.for<[ScriptedResponse, object]>([
    [apiError(401, "authError"), { kind: "reconnect" }],
    [apiError(429, "rateLimitExceeded"), { kind: "rate_limited" }],
    [apiError(403, "quotaExceeded"), { kind: "rate_limited", category: "quota" }],
    [apiError(400, "uploadLimitExceeded"), { kind: "rate_limited" }],
    [apiError(400, "invalidDescription"), { kind: "rejected" }],
    [videoCreated({ status: { uploadStatus: "rejected", rejectionReason: "duplicate" } }), { code: "duplicate_content" }],
    [videoCreated({ status: { uploadStatus: "failed", failureReason: "emptyFile" } }), { code: "media_invalid" }],
  ])("%j refuses", async ([script, fault], { expect }) => {
    expect(await youtube.commit(scriptedClient(script), videoJob(total), last)).toMatchObject({ state: "refused", fault });
  });
});
