import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { answering, bodyOf, type Scripted } from "../../support/answering.ts";
import { video } from "../../support/job.ts";
import { reading } from "../../support/reading.ts";
import { MIB, GRAIN, SESSION, begun, more, trouble, post, bulky, cursor, ranges, cursorOf } from "./fixture.ts";

describe("prepare", () => {
  test("begins a session and keeps its address before the first byte", async ({ expect }) => {
    const client = reading(answering(begun));
    const outcome = await youtube.prepare(client, post(MIB), undefined);
    expect(outcome).toEqual({ state: "again", afterSeconds: 0, cursor: cursor() });
    const [sent] = client.sent;
    expect(client.sent).toHaveLength(1);
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
    const client = answering(begun);
    await youtube.prepare(client, post(MIB, { options: { title: "T", made_for_kids: true } }), undefined);
    expect(bodyOf(client.sent[0])).toMatchObject({
      status: { privacyStatus: "public", selfDeclaredMadeForKids: true },
    });
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
      const client = answering(500);
      expect(await youtube.prepare(client, post(sizeBytes), cursor())).toMatchObject({
        state: "ready",
        ref: { session: SESSION, offset: 0 },
      });
      expect(client.sent).toHaveLength(0);
    }
  });

  test("sends whole grains and leaves the last one", async ({ expect }) => {
    const total = 9 * MIB + 5;
    const client = reading(answering(more(8 * MIB), more(9 * MIB)));
    expect(await youtube.prepare(client, post(total), cursor())).toMatchObject({
      state: "ready",
      ref: { session: SESSION, offset: 9 * MIB, sends: 0 },
      expiresAt: expect.any(Number),
    });
    expect(client.sent.map((one) => `${one.method} ${one.url.href}`)).toEqual(Array(2).fill(`PUT ${SESSION}`));
    expect(ranges(client.sent)).toEqual([
      `bytes 0-${8 * MIB - 1}/${total}`,
      `bytes ${8 * MIB}-${9 * MIB - 1}/${total}`,
    ]);
    expect(client.bytes.map((bytes) => bytes.length)).toEqual([8 * MIB, MIB]);
    expect(client.bytes[1]?.slice(0, 3)).toEqual(Uint8Array.from([0, 1, 2].map((index) => (8 * MIB + index) % 251)));
    expect(client.sent[0]?.headers.get("content-type")).toBe("video/mp4");
    expect(client.sent[0]?.headers.get("authorization")).toMatch(/^Bearer /);
  });

  test("a file of exactly one more grain leaves a whole one", async ({ expect }) => {
    const client = reading(answering(more(GRAIN)));
    expect(await youtube.prepare(client, post(2 * GRAIN), cursor())).toMatchObject({ ref: { offset: GRAIN } });
    expect(ranges(client.sent)).toEqual([`bytes 0-${GRAIN - 1}/${2 * GRAIN}`]);
  });

  test("goes on where YouTube says, not where it stopped sending", async ({ expect }) => {
    const total = 9 * MIB;
    const client = reading(answering(more(4 * MIB), more(total - GRAIN)));
    expect(await youtube.prepare(client, post(total), cursor())).toMatchObject({ ref: { offset: total - GRAIN } });
    expect(ranges(client.sent)[1]).toBe(`bytes ${4 * MIB}-${total - GRAIN - 1}/${total}`);
  });

  test("sends at most 32 MiB a call and goes on from its cursor", async ({ expect }) => {
    const total = 40 * MIB;
    let told = 0;
    const client = reading(
      answering(() => {
        told = Math.min(total - GRAIN, told + 8 * MIB);
        return more(told);
      }),
    );
    const first = await youtube.prepare(client, bulky(total), cursor());
    expect(first).toMatchObject({ state: "again", afterSeconds: 0, cursor: { offset: 32 * MIB } });
    expect(client.sent).toHaveLength(4);
    expect(await youtube.prepare(client, bulky(total), cursorOf(first))).toMatchObject({
      state: "ready",
      ref: { offset: total - GRAIN },
    });
    expect(ranges(client.sent)[4]).toBe(`bytes ${32 * MIB}-${total - GRAIN - 1}/${total}`);
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
    const client = reading(answering(more(8 * MIB + GRAIN), more(total - GRAIN)));
    expect(await youtube.prepare(client, post(total), cursorOf(interrupted))).toMatchObject({ state: "ready" });
    expect(ranges(client.sent)).toEqual([`bytes */${total}`, `bytes ${8 * MIB + GRAIN}-${total - GRAIN - 1}/${total}`]);
    expect(client.sent[0]?.headers.get("content-length")).toBe("0");
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
    const client = answering(status, { headers: { location: `${SESSION}2` } });
    expect(await youtube.prepare(client, post(MIB), cursor({ offset: GRAIN }))).toMatchObject({
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

  test("a stored file that is missing is not YouTube's fault", async ({ expect }) => {
    const read = () => Promise.reject(new Error("stored media is missing"));
    const whole = post(MIB);
    const broken = { ...whole, media: whole.media.map((media) => ({ ...media, read })) };
    const client = answering(500);
    await expect(youtube.prepare(client, broken, cursor())).rejects.toThrow("stored media is missing");
    expect(client.sent).toHaveLength(0);
  });

  test("begins earlier for large files", ({ expect }) => {
    const small = youtube.prepareAheadMs({ media: [video()] });
    expect(youtube.prepareAheadMs({ media: [video({ sizeBytes: 1024 * MIB })] })).toBeGreaterThan(small + 400_000);
  });
});
