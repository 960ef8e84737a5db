import { describe, test } from "vitest";
import { youtube } from "#platforms/youtube/index.ts";
import { answering, type Scripted } from "../../support/answering.ts";
import { NOW } from "../../support/job.ts";
import { reading } from "../../support/reading.ts";
import { MIB, GRAIN, json, more, made, trouble, post, ref, ranges } from "./fixture.ts";

describe("commit", () => {
  const total = MIB + 5;
  const last = ref({ offset: MIB });

  test("sends the last bytes, and with them the video is there", async ({ expect }) => {
    const client = reading(answering(made()));
    expect(await youtube.commit(client, post(total), last)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(client.sent).toHaveLength(1);
    expect(ranges(client.sent)).toEqual([`bytes ${MIB}-${MIB + 4}/${total}`]);
    expect(client.bytes[0]).toEqual(Uint8Array.from({ length: 5 }, (_, index) => (MIB + index) % 251));
  });

  test("200 is as good as 201", async ({ expect }) => {
    const client = reading(answering({ status: 200, json: { id: "v" } }));
    expect(await youtube.commit(client, post(total), last)).toMatchObject({ state: "published", remoteId: "v" });
  });

  test.for<[string, Scripted]>([
    ["a cut", "cut"],
    ["500", 500],
    ["503", trouble(503, "backendError")],
    ["408", 408],
    ["a redirect", 302],
    ["201 without an id", { status: 201, json: { kind: "youtube#video" } }],
    ["200 that is no JSON", { text: "<html>" }],
    ["308 for all of it", more(total)],
    ["308 for nothing of it", more(MIB)],
  ])("after %s nothing is known", async ([, script], { expect }) => {
    const outcome = await youtube.commit(answering(script), post(total), last);
    expect(outcome).toMatchObject({ state: "uncertain", ref: { offset: MIB, sends: 1, sentAt: NOW } });
    expect(JSON.stringify({ ...outcome, ref: null })).not.toContain("upload_id");
  });

  test("a part that was kept is not sent again", async ({ expect }) => {
    const outcome = await youtube.commit(answering(more(MIB + 2)), post(total), last);
    expect(outcome).toMatchObject({ state: "more", ref: { offset: MIB + 2 }, progress: null });
    const client = reading(answering(made()));
    expect(
      await youtube.commit(client, post(total), outcome.state === "more" ? json(outcome.ref) : null),
    ).toMatchObject({
      state: "published",
    });
    expect(ranges(client.sent)).toEqual([`bytes ${MIB + 2}-${MIB + 4}/${total}`]);
  });

  test("an upload that was mostly lost is made anew", async ({ expect }) => {
    expect(await youtube.commit(answering(more(0)), post(20 * MIB), ref({ offset: 20 * MIB - GRAIN }))).toMatchObject({
      state: "stale",
    });
  });

  test("a session that is gone published nothing the first time; after doubt it may have", async ({ expect }) => {
    expect(await youtube.commit(answering(404), post(total), last)).toMatchObject({ state: "stale" });
    expect(await youtube.commit(answering(404), post(total), ref({ offset: MIB, sends: 1 }))).toMatchObject({
      state: "uncertain",
    });
  });

  test.for<[Scripted, object]>([
    [trouble(401, "authError"), { kind: "reconnect" }],
    [trouble(429, "rateLimitExceeded"), { kind: "rate_limited" }],
    [trouble(403, "quotaExceeded"), { kind: "rate_limited", category: "quota" }],
    [trouble(400, "uploadLimitExceeded"), { kind: "rate_limited" }],
    [trouble(400, "invalidDescription"), { kind: "rejected" }],
    [made({ status: { uploadStatus: "rejected", rejectionReason: "duplicate" } }), { code: "duplicate_content" }],
    [made({ status: { uploadStatus: "failed", failureReason: "emptyFile" } }), { code: "media_invalid" }],
  ])("%j refuses", async ([script, fault], { expect }) => {
    expect(await youtube.commit(answering(script), post(total), last)).toMatchObject({ state: "refused", fault });
  });
});
