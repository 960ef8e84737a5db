import { describe, test } from "vitest";
import type { Job } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-client.ts";
import { accountAccess, NOW } from "../../support/job-fixtures.ts";
import { MIB, CHUNK_MULTIPLE, incomplete, videoCreated, apiError, videoJob, commitRef, contentRanges } from "./fixture.ts";

describe("verify", () => {
  const total = MIB + 5;
  const plan = commitRef({ offset: MIB, sendCount: 1, sentAt: NOW });
  const at = (seconds: number, overrides: Partial<Job> = {}) =>
    videoJob(total, { committedAt: NOW, now: NOW + seconds * 1000, ...overrides });

  test("asks the session, and finds the video", async ({ expect }) => {
    const client = scriptedClient(videoCreated());
    expect(await youtube.verify(client, at(1), plan)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(contentRanges(client.requests)).toEqual([`bytes */${total}`]);
  });

  test.for<[string, ScriptedResponse, object]>([
    ["the last bytes are missing: they may be sent again", incomplete(MIB), { state: "absent" }],
    ["a part of them came", incomplete(MIB + 3), { state: "more", ref: { offset: MIB + 3 }, progress: null }],
    ["all came, and the answer is being made", incomplete(total), { state: "again", isProcessing: true }],
    ["rejected", videoCreated({ status: { uploadStatus: "rejected" } }), { state: "refused" }],
    ["the login has ended", apiError(401, "authError"), { state: "refused", fault: { kind: "reconnect" } }],
    ["no answer", 503, { state: "again", isProcessing: false }],
    ["quota", apiError(403, "quotaExceeded"), { state: "again", isProcessing: false }],
    ["a refusal proves nothing", apiError(400, "badRequest"), { state: "again", isProcessing: false }],
  ])("%s", async ([, script, outcome], { expect }) => {
    expect(await youtube.verify(scriptedClient(script), at(1), plan)).toMatchObject(outcome);
  });

  test("an upload that was mostly lost is made anew", async ({ expect }) => {
    const lost = commitRef({ offset: 20 * MIB - CHUNK_MULTIPLE, sendCount: 1 });
    expect(await youtube.verify(scriptedClient(incomplete(0)), videoJob(20 * MIB), lost)).toMatchObject({ state: "stale" });
  });

  test("an outage is waited for with growing pauses", async ({ expect }) => {
    const waits = [];
    for (const seconds of [1, 10, 100, 1000]) {
      const outcome = await youtube.verify(scriptedClient(503), at(seconds), plan);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
    }
    expect(waits).toEqual([5, 30, 300, 900]);
  });

  describe("when the session is gone, the list of uploads decides", () => {
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
      );
      expect(await youtube.verify(client, at(60), plan)).toMatchObject({ state: "published", remoteId: "mine" });
      expect(client.requests[1]?.url.searchParams.get("playlistId")).toBe("UUa");
    });

    test("the list's name is known from the channel's", async ({ expect }) => {
      const client = scriptedClient(404, list());
      await youtube.verify(client, at(60, { account: accountAccess({ platformAccountId: "UCxyz" }) }), plan);
      expect(client.requests[1]?.url.searchParams.get("playlistId")).toBe("UUxyz");
    });

    test("what is not listed is looked for again, and then unknown: never sent twice", async ({ expect }) => {
      expect(await youtube.verify(scriptedClient(404, list()), at(60), plan)).toMatchObject({
        state: "again",
        isProcessing: false,
      });
      expect(await youtube.verify(scriptedClient(404, list()), at(301), plan)).toMatchObject({ state: "cannot_tell" });
      expect(await youtube.verify(scriptedClient(404, list(listed("a"), listed("b"))), at(60), plan)).toMatchObject({
        state: "cannot_tell",
      });
      expect(await youtube.verify(scriptedClient(404, 503), at(1000), plan)).toMatchObject({ state: "again", isProcessing: false });
    });
  });
});
