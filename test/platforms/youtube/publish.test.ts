import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PrepareOutcome } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { answering, bodyOf, type Scripted, type Sent } from "../../support/answering.ts";
import { access, job, NOW, video } from "../../support/job.ts";
import { reading } from "../../support/reading.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const GRAIN = 256 * KIB;
const SESSION = "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=ABC";

const json = (value: JsonValue) => JSON.parse(JSON.stringify(value)) as JsonValue;
const begun: Scripted = { headers: { location: SESSION } };
const more = (kept: number): Scripted => ({
  status: 308,
  headers: kept === 0 ? {} : { range: `bytes=0-${kept - 1}` },
});
const made = (over: object = {}): Scripted => ({
  status: 201,
  json: {
    kind: "youtube#video",
    id: "dQw4example",
    status: { uploadStatus: "uploaded", privacyStatus: "public", selfDeclaredMadeForKids: false },
    ...over,
  },
});
const trouble = (status: number, reason: string): Scripted => ({
  status,
  json: { error: { code: status, message: "No.", errors: [{ reason, domain: "youtube", message: "No." }] } },
});

function post(sizeBytes: number, over: Partial<Job> = {}): Job {
  return job({
    options: { title: "How to glaze a bowl", made_for_kids: false },
    account: access({ platformAccountId: "UCa", capabilities: { uploads: "UUa" } }),
    ...over,
    media: [video({ sizeBytes })],
  });
}

/** Bytes that cost nothing, where only their number matters. */
function bulky(sizeBytes: number): Job {
  const costless: JobMedia["read"] = (range) =>
    Promise.resolve(new Blob([new Uint8Array(range?.length ?? 0)]).stream());
  const whole = post(sizeBytes);
  return { ...whole, media: whole.media.map((media) => ({ ...media, read: costless })) };
}

const cursor = (over: object = {}): JsonValue => ({
  session: SESSION,
  startedAt: NOW,
  offset: 0,
  doubt: false,
  failures: 0,
  restarts: 0,
  ...over,
});
const ref = (over: object = {}): JsonValue => ({
  session: SESSION,
  startedAt: NOW,
  offset: 0,
  sends: 0,
  sentAt: null,
  ...over,
});
const ranges = (sent: readonly Sent[]) => sent.map((one) => one.headers.get("content-range"));
const cursorOf = (outcome: PrepareOutcome): JsonValue => {
  if (outcome.state !== "again") {
    throw new Error(JSON.stringify(outcome));
  }
  return json(outcome.cursor);
};

describe("prepare", () => {
  test("begins a session and keeps its address before the first byte", async ({ expect }) => {
    const wire = reading(answering(begun));
    const outcome = await youtube.prepare(wire, post(MIB), undefined);
    expect(outcome).toEqual({ state: "again", afterSeconds: 0, cursor: cursor() });
    const [sent] = wire.sent;
    expect(wire.sent).toHaveLength(1);
    expect(sent?.method).toBe("POST");
    expect(sent?.url.origin + (sent?.url.pathname ?? "")).toBe("https://www.googleapis.com/upload/youtube/v3/videos");
    expect(Object.fromEntries(sent?.url.searchParams ?? [])).toEqual({
      uploadType: "resumable",
      part: "snippet,status",
      notifySubscribers: "true",
    });
    expect(sent?.headers.get("x-upload-content-type")).toBe("video/mp4");
    expect(sent?.headers.get("x-upload-content-length")).toBe(String(MIB));
    expect(bodyOf(sent)).toEqual({
      snippet: { title: "How to glaze a bowl", description: "Release notes are out", categoryId: "22" },
      status: { privacyStatus: "public", selfDeclaredMadeForKids: false },
    });
  });

  test("says so when the video is made for kids", async ({ expect }) => {
    const wire = answering(begun);
    await youtube.prepare(wire, post(MIB, { options: { title: "T", made_for_kids: true } }), undefined);
    expect(bodyOf(wire.sent[0])).toMatchObject({ status: { privacyStatus: "public", selfDeclaredMadeForKids: true } });
  });

  test.for<[string, Scripted]>([
    ["none", 200],
    ["a stranger's", { headers: { location: "https://www.googleapis.com.example.com/upload" } }],
    ["an open one", { headers: { location: "http://www.googleapis.com/upload" } }],
  ])("takes no session at an address that is not YouTube's: %s", async ([, script], { expect }) => {
    expect(await youtube.prepare(answering(script), post(MIB), undefined)).toMatchObject({
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
  ])("a session refused with %i %s", async ([status, reason, fault], { expect }) => {
    expect(await youtube.prepare(answering(trouble(status, reason)), post(MIB), undefined)).toMatchObject({
      state: "refused",
      fault,
    });
  });

  test("a small file waits whole for its time", async ({ expect }) => {
    for (const sizeBytes of [1, GRAIN]) {
      const wire = answering(500);
      expect(await youtube.prepare(wire, post(sizeBytes), cursor())).toMatchObject({
        state: "ready",
        ref: { session: SESSION, offset: 0 },
      });
      expect(wire.sent).toHaveLength(0);
    }
  });

  test("sends whole grains and leaves the last one", async ({ expect }) => {
    const total = 9 * MIB + 5;
    const wire = reading(answering(more(8 * MIB), more(9 * MIB)));
    expect(await youtube.prepare(wire, post(total), cursor())).toMatchObject({
      state: "ready",
      ref: { session: SESSION, offset: 9 * MIB, sends: 0 },
      expiresAt: expect.any(Number),
    });
    expect(wire.sent.map((one) => `${one.method} ${one.url}`)).toEqual(Array(2).fill(`PUT ${SESSION}`));
    expect(ranges(wire.sent)).toEqual([`bytes 0-${8 * MIB - 1}/${total}`, `bytes ${8 * MIB}-${9 * MIB - 1}/${total}`]);
    expect(wire.bytes.map((bytes) => bytes.length)).toEqual([8 * MIB, MIB]);
    expect(wire.bytes[1]?.slice(0, 3)).toEqual(Uint8Array.from([0, 1, 2].map((index) => (8 * MIB + index) % 251)));
    expect(wire.sent[0]?.headers.get("content-type")).toBe("video/mp4");
    expect(wire.sent[0]?.headers.get("authorization")).toMatch(/^Bearer /);
  });

  test("a file of exactly one more grain leaves a whole one", async ({ expect }) => {
    const wire = reading(answering(more(GRAIN)));
    expect(await youtube.prepare(wire, post(2 * GRAIN), cursor())).toMatchObject({ ref: { offset: GRAIN } });
    expect(ranges(wire.sent)).toEqual([`bytes 0-${GRAIN - 1}/${2 * GRAIN}`]);
  });

  test("goes on where YouTube says, not where it stopped sending", async ({ expect }) => {
    const total = 9 * MIB;
    const wire = reading(answering(more(4 * MIB), more(total - GRAIN)));
    expect(await youtube.prepare(wire, post(total), cursor())).toMatchObject({ ref: { offset: total - GRAIN } });
    expect(ranges(wire.sent)[1]).toBe(`bytes ${4 * MIB}-${total - GRAIN - 1}/${total}`);
  });

  test("sends at most 32 MiB a call and goes on from its cursor", async ({ expect }) => {
    const total = 40 * MIB;
    let told = 0;
    const wire = reading(
      answering(() => {
        told = Math.min(total - GRAIN, told + 8 * MIB);
        return more(told);
      }),
    );
    const first = await youtube.prepare(wire, bulky(total), cursor());
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { offset: 32 * MIB } });
    expect(wire.sent).toHaveLength(4);
    expect(await youtube.prepare(wire, bulky(total), cursorOf(first))).toMatchObject({
      state: "ready",
      ref: { offset: total - GRAIN },
    });
    expect(ranges(wire.sent)[4]).toBe(`bytes ${32 * MIB}-${total - GRAIN - 1}/${total}`);
  });

  test.for<[string, Scripted]>([
    ["a cut", "cut"],
    ["503", 503],
    ["500 with words", trouble(500, "backendError")],
    ["a page", { text: "<html>" }],
  ])("after %s it asks before it sends", async ([, script], { expect }) => {
    const total = 9 * MIB;
    const interrupted = await youtube.prepare(reading(answering(more(8 * MIB), script)), post(total), cursor());
    expect(interrupted).toMatchObject({
      state: "again",
      afterSeconds: 1,
      cursor: { offset: 8 * MIB, doubt: true, failures: 1 },
    });
    const wire = reading(answering(more(8 * MIB + GRAIN), more(total - GRAIN)));
    expect(await youtube.prepare(wire, post(total), cursorOf(interrupted))).toMatchObject({ state: "ready" });
    expect(ranges(wire.sent)).toEqual([`bytes */${total}`, `bytes ${8 * MIB + GRAIN}-${total - GRAIN - 1}/${total}`]);
    expect(wire.sent[0]?.headers.get("content-length")).toBe("0");
  });

  test("waits longer each time and gives the try back in the end", async ({ expect }) => {
    let at: JsonValue = cursor();
    const waits: number[] = [];
    for (let tries = 0; tries < 5; tries++) {
      const outcome = await youtube.prepare(answering(503), post(MIB), at);
      waits.push(outcome.state === "again" ? outcome.afterSeconds : -1);
      at = cursorOf(outcome);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16]);
    expect(await youtube.prepare(answering(503), post(MIB), at)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
    // The cursor is still good when YouTube is.
    expect(await youtube.prepare(reading(answering(more(0), more(MIB - GRAIN))), post(MIB), at)).toMatchObject({
      state: "ready",
    });
  });

  test("a session that never keeps anything is given up", async ({ expect }) => {
    const at = cursorOf(await youtube.prepare(reading(answering(more(0))), post(MIB), cursor()));
    expect(await youtube.prepare(reading(answering(more(0))), post(MIB), at)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test.for([404, 410])("a session that answers %i is begun again, twice at most", async (status, { expect }) => {
    const wire = answering(status, { headers: { location: `${SESSION}2` } });
    expect(await youtube.prepare(wire, post(MIB), cursor({ offset: GRAIN }))).toMatchObject({
      state: "again",
      afterSeconds: 0,
      cursor: { session: `${SESSION}2`, offset: 0, restarts: 1 },
    });
    expect(await youtube.prepare(answering(status), post(MIB), cursor({ restarts: 2 }))).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test("a refusal in the middle is a refusal", async ({ expect }) => {
    expect(await youtube.prepare(answering(trouble(401, "authError")), post(MIB), cursor())).toMatchObject({
      fault: { kind: "reconnect" },
    });
    expect(await youtube.prepare(answering(trouble(403, "quotaExceeded")), post(MIB), cursor())).toMatchObject({
      fault: { kind: "rate_limited", code: "quota_exceeded" },
    });
  });

  test("begins earlier for large files", ({ expect }) => {
    const small = youtube.prepareAheadMs({ media: [video()] });
    expect(youtube.prepareAheadMs({ media: [video({ sizeBytes: 1024 * MIB })] })).toBeGreaterThan(small + 400_000);
  });
});

describe("commit", () => {
  const total = MIB + 5;
  const last = ref({ offset: MIB });

  test("sends the last bytes, and with them the video is there", async ({ expect }) => {
    const wire = reading(answering(made()));
    expect(await youtube.commit(wire, post(total), last)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(wire.sent).toHaveLength(1);
    expect(ranges(wire.sent)).toEqual([`bytes ${MIB}-${MIB + 4}/${total}`]);
    expect(wire.bytes[0]).toEqual(Uint8Array.from({ length: 5 }, (_, index) => (MIB + index) % 251));
  });

  test("200 is as good as 201", async ({ expect }) => {
    const wire = reading(answering({ status: 200, json: { id: "v" } }));
    expect(await youtube.commit(wire, post(total), last)).toMatchObject({ state: "published", remoteId: "v" });
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
    const wire = reading(answering(made()));
    expect(await youtube.commit(wire, post(total), outcome.state === "more" ? json(outcome.ref) : null)).toMatchObject({
      state: "published",
    });
    expect(ranges(wire.sent)).toEqual([`bytes ${MIB + 2}-${MIB + 4}/${total}`]);
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

describe("verify", () => {
  const total = MIB + 5;
  const plan = ref({ offset: MIB, sends: 1, sentAt: NOW });
  const at = (seconds: number, over: Partial<Job> = {}) =>
    post(total, { committedAt: NOW, now: NOW + seconds * 1000, ...over });

  test("asks the session, and finds the video", async ({ expect }) => {
    const wire = answering(made());
    expect(await youtube.verify(wire, at(1), plan)).toEqual({
      state: "published",
      remoteId: "dQw4example",
      url: "https://www.youtube.com/watch?v=dQw4example",
    });
    expect(ranges(wire.sent)).toEqual([`bytes */${total}`]);
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
      const wire = answering(
        410,
        list(
          listed("other", { title: "Another" }),
          listed("text", { description: "Another" }),
          listed("old", {}, "2029-12-31T12:00:00Z"),
          listed("mine", { title: "How to  glaze a bowl " }),
        ),
      );
      expect(await youtube.verify(wire, at(60), plan)).toMatchObject({ state: "published", remoteId: "mine" });
      expect(wire.sent[1]?.url.searchParams.get("playlistId")).toBe("UUa");
    });

    test("the list's name is known from the channel's", async ({ expect }) => {
      const wire = answering(404, list());
      await youtube.verify(wire, at(60, { account: access({ platformAccountId: "UCxyz" }) }), plan);
      expect(wire.sent[1]?.url.searchParams.get("playlistId")).toBe("UUxyz");
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
