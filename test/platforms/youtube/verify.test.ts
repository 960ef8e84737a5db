import { describe, test } from "vitest";
import type { Job } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { answering, type Scripted } from "../../support/answering.ts";
import { access, NOW } from "../../support/job.ts";
import { MIB, GRAIN, more, made, trouble, post, ref, ranges } from "./fixture.ts";

describe("verify", () => {
  const total = MIB + 5;
  const plan = ref({ offset: MIB, sends: 1, sentAt: NOW });
  const at = (seconds: number, over: Partial<Job> = {}) =>
    post(total, { committedAt: NOW, now: NOW + seconds * 1000, ...over });

  test("asks the session, and finds the video", async ({ expect }) => {
    const client = answering(made());
    expect(await youtube.verify(client, at(1), plan)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(ranges(client.sent)).toEqual([`bytes */${total}`]);
  });

  test.for<[string, Scripted, object]>([
    ["the last bytes are missing: they may be sent again", more(MIB), { state: "absent" }],
    ["a part of them came", more(MIB + 3), { state: "more", ref: { offset: MIB + 3 }, progress: null }],
    ["all came, and the answer is being made", more(total), { state: "again", known: true }],
    ["rejected", made({ status: { uploadStatus: "rejected" } }), { state: "refused" }],
    ["the login has ended", trouble(401, "authError"), { state: "refused", fault: { kind: "reconnect" } }],
    ["no answer", 503, { state: "again", known: false }],
    ["quota", trouble(403, "quotaExceeded"), { state: "again", known: false }],
    ["a refusal proves nothing", trouble(400, "badRequest"), { state: "again", known: false }],
  ])("%s", async ([, script, outcome], { expect }) => {
    expect(await youtube.verify(answering(script), at(1), plan)).toMatchObject(outcome);
  });

  test("an upload that was mostly lost is made anew", async ({ expect }) => {
    const lost = ref({ offset: 20 * MIB - GRAIN, sends: 1 });
    expect(await youtube.verify(answering(more(0)), post(20 * MIB), lost)).toMatchObject({ state: "stale" });
  });

  test("an outage is waited for with growing pauses", async ({ expect }) => {
    const waits = [];
    for (const seconds of [1, 10, 100, 1000]) {
      const outcome = await youtube.verify(answering(503), at(seconds), plan);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
    }
    expect(waits).toEqual([5, 30, 300, 900]);
  });

  describe("when the session is gone, the list of uploads decides", () => {
    const listed = (id: string, over: object = {}, published = "2030-01-01T12:00:30Z") => ({
      snippet: {
        title: "How to glaze a bowl",
        description: "Release notes are out",
        publishedAt: published,
        resourceId: { videoId: id },
        ...over,
      },
      contentDetails: { videoId: id, videoPublishedAt: published },
    });
    const list = (...items: object[]): Scripted => ({ json: { items } });

    test("by title, description and time", async ({ expect }) => {
      const client = answering(
        410,
        list(
          listed("other", { title: "Another" }),
          listed("text", { description: "Another" }),
          listed("old", {}, "2029-12-31T12:00:00Z"),
          listed("mine", { title: "How to  glaze a bowl " }),
        ),
      );
      expect(await youtube.verify(client, at(60), plan)).toMatchObject({ state: "published", remoteId: "mine" });
      expect(client.sent[1]?.url.searchParams.get("playlistId")).toBe("UUa");
    });

    test("the list's name is known from the channel's", async ({ expect }) => {
      const client = answering(404, list());
      await youtube.verify(client, at(60, { account: access({ platformAccountId: "UCxyz" }) }), plan);
      expect(client.sent[1]?.url.searchParams.get("playlistId")).toBe("UUxyz");
    });

    test("what is not listed is looked for again, and then unknown: never sent twice", async ({ expect }) => {
      expect(await youtube.verify(answering(404, list()), at(60), plan)).toMatchObject({
        state: "again",
        known: false,
      });
      expect(await youtube.verify(answering(404, list()), at(301), plan)).toMatchObject({ state: "cannot_tell" });
      expect(await youtube.verify(answering(404, list(listed("a"), listed("b"))), at(60), plan)).toMatchObject({
        state: "cannot_tell",
      });
      expect(await youtube.verify(answering(404, 503), at(1000), plan)).toMatchObject({ state: "again", known: false });
    });
  });
});
