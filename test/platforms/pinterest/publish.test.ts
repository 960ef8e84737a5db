import { describe, test } from "vitest";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { MediaDescription, Job } from "#platforms/contract.ts";
import { pinterest } from "#platforms/pinterest/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, image, job, type JobOverrides, NOW, video } from "../../support/adapter-inputs.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";

interface PostOverrides extends JobOverrides {
  readonly settings?: Record<string, string>;
}

function post({ settings = {}, options, ...parts }: PostOverrides = {}): Job {
  const account = accountAccess({ platformAccountId: "27" });
  return job({
    account: { ...account, app: { ...account.app, settings } },
    media: [image()],
    options: { board_ids: ["1", "2", "3"], title: "Blue", link: "https://example.com/a", ...options },
    ...parts,
  });
}

const ref = (boards: string[], overrides: JsonObject = {}): JsonValue => ({
  boards,
  mediaIds: {},
  imageMode: "url",
  failures: [],
  sendCount: 0,
  sentAt: null,
  ...overrides,
});
const pinCreated = (id: string): ScriptedResponse => ({ status: 201, json: { id } });
const boardNotFound: ScriptedResponse = { status: 404, json: { code: 40, message: "Board not found." } };
const imageUnreachable: ScriptedResponse = { status: 400, json: { code: 1, message: "Unable to reach the URL" } };
const progressWith = (...pairs: [string, string][]) => ({ pins: pairs.map(([board, id]) => ({ board, pin: id })) });

async function sentMediaSource(media: readonly MediaDescription[], overrides: JsonObject = {}) {
  const client = scriptedClient(pinCreated("p1"));
  await pinterest.commit(client, post({ media }), ref(["1"], overrides));
  return parseRequestBody(client.requests[0])["media_source"];
}

describe("a pin", () => {
  test("has exactly the documented fields, empty ones left out", async ({ expect }) => {
    const client = scriptedClient(pinCreated("p1"));
    await pinterest.commit(client, post(), ref(["1"]));
    await pinterest.commit(client, post({ caption: "", options: { title: " ", link: null } }), ref(["1"]));
    expect(client.requests[0]?.url.href).toBe("https://api.pinterest.com/v5/pins");
    expect(parseRequestBody(client.requests[0])).toEqual({
      board_id: "1",
      title: "Blue",
      description: "Release notes are out",
      link: "https://example.com/a",
      media_source: { source_type: "image_url", url: `https://media.example.com/${image().id}/file` },
    });
    expect(Object.keys(parseRequestBody(client.requests[1]))).toEqual(["board_id", "media_source"]);
  });

  test("is sent to Pinterest's sandbox if configured", async ({ expect }) => {
    const client = scriptedClient(pinCreated("p1"));
    await pinterest.commit(client, post({ settings: { API: "sandbox" } }), ref(["1"]));
    expect(client.requests[0]?.url.href).toBe("https://api-sandbox.pinterest.com/v5/pins");
  });

  test("sends images as a carousel and a video with a cover", async ({ expect }) => {
    const url = (id: string) => `https://media.example.com/${id}/file`;
    expect(await sentMediaSource([image({ id: "a" }), image({ id: "b" })])).toEqual({
      source_type: "multiple_image_urls",
      items: [{ url: url("a") }, { url: url("b") }],
    });
    expect(await sentMediaSource([video()], { mediaIds: { "1": "m1" } })).toEqual({
      source_type: "video_id",
      media_id: "m1",
      cover_image_key_frame_time: 0,
    });
    expect(await sentMediaSource([image({ id: "a" }), video()], { mediaIds: { "1": "m1" } })).toEqual({
      source_type: "video_id",
      media_id: "m1",
      cover_image_url: url("a"),
    });
  });

  test("is sent with inline images if Pinterest cannot fetch them", async ({ expect }) => {
    const first = await pinterest.commit(scriptedClient(imageUnreachable), post(), ref(["1", "2"]));
    expect(first).toMatchObject({ state: "more", ref: { imageMode: "inline", boards: ["1", "2"] }, progress: null });
    expect(await sentMediaSource([image({ sizeBytes: 4 })], { imageMode: "inline" })).toEqual({
      source_type: "image_base64",
      content_type: "image/jpeg",
      data: btoa("\u0000\u0001\u0002\u0003"),
    });
    expect(
      await sentMediaSource([image({ sizeBytes: 1 }), image({ sizeBytes: 1 })], { imageMode: "inline" }),
    ).toMatchObject({
      source_type: "multiple_image_base64",
      items: [{ data: "AA==" }, { data: "AA==" }],
    });
  });

  test.for<[string, readonly MediaDescription[], JsonObject]>([
    ["too large to send inline", [image({ sizeBytes: 10_000_001 })], {}],
    ["of a type that cannot be sent inline", [image({ contentType: "image/webp" })], {}],
    ["already sent inline", [image()], { imageMode: "inline" }],
  ])("whose images are %s is refused", async ([, media, overrides], { expect }) => {
    expect(
      await pinterest.commit(scriptedClient(imageUnreachable), post({ media }), ref(["1"], overrides)),
    ).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "media_unreachable" },
    });
  });
});

describe("several boards", () => {
  test("get one pin each, and each pin is recorded", async ({ expect }) => {
    const prepared = await pinterest.prepare(scriptedClient(500), post(), undefined);
    expect(prepared).toEqual({ state: "ready", ref: ref(["1", "2", "3"]) });
    const first = await pinterest.commit(scriptedClient(pinCreated("p1")), post(), ref(["1", "2", "3"]));
    expect(first).toEqual({ state: "more", ref: ref(["2", "3"]), progress: progressWith(["1", "p1"]) });
    const progress = progressWith(["1", "p1"], ["2", "p2"]);
    const last = await pinterest.commit(scriptedClient(pinCreated("p3")), post({ progress }), ref(["3"]));
    expect(last).toEqual({ state: "published", remoteId: "p1", url: "https://www.pinterest.com/pin/p1/" });
  });

  test("that have their pin are skipped by every later run", async ({ expect }) => {
    const some = post({ progress: progressWith(["2", "p2"]) });
    expect(await pinterest.prepare(scriptedClient(500), some, undefined)).toMatchObject({
      ref: { boards: ["1", "3"] },
    });
    const all = post({ progress: progressWith(["1", "p1"], ["2", "p2"], ["3", "p3"]) });
    const client = scriptedClient(500);
    expect(await pinterest.prepare(client, all, undefined)).toMatchObject({ ref: { boards: [] } });
    expect(await pinterest.commit(client, all, ref([]))).toMatchObject({ state: "published", remoteId: "p1" });
    expect(client.requests).toHaveLength(0);
  });

  test("continue after a missing board, which the final error names", async ({ expect }) => {
    const first = await pinterest.commit(scriptedClient(boardNotFound), post(), ref(["1", "2"]));
    expect(first).toMatchObject({ state: "more", ref: { boards: ["2"], failures: [{ board: "1" }] }, progress: null });
    const { ref: next } = first as { ref: JsonValue };
    const second = await pinterest.commit(scriptedClient(pinCreated("p2")), post(), next);
    expect(second).toMatchObject({ state: "more", ref: { boards: [] }, progress: progressWith(["2", "p2"]) });
    const client = scriptedClient(500);
    const done = second as { ref: JsonValue; progress: JsonValue };
    expect(await pinterest.commit(client, post({ progress: done.progress }), done.ref)).toMatchObject({
      state: "refused",
      fault: {
        kind: "rejected",
        code: "board_not_found",
        platformCode: "40",
        message: "1 of 2 boards have the pin. board 1: Pinterest does not know this board.",
      },
    });
    expect(client.requests).toHaveLength(0);
  });

  test("stop at an error that applies to every board", async ({ expect }) => {
    const bad: ScriptedResponse = { status: 400, json: { code: 1, message: "Invalid parameters" } };
    for (const script of [bad, 401, 429] as const) {
      expect(await pinterest.commit(scriptedClient(script), post(), ref(["1", "2"]))).toMatchObject({
        state: "refused",
      });
    }
    expect(await pinterest.commit(scriptedClient(boardNotFound), post(), ref(["1"]))).toMatchObject({
      state: "refused",
      fault: { code: "board_not_found" },
    });
  });
});

describe("a pin with an uncertain outcome", () => {
  const listed = (overrides: object = {}) => ({
    id: "p9",
    created_at: new Date(NOW + 500).toISOString().slice(0, 19),
    title: "Blue",
    description: "Release  notes are out ",
    link: "https://example.com/a",
    is_owner: true,
    ...overrides,
  });
  /** The operator's setting that an unlisted pin is sent once more. */
  const SENT_ONCE_MORE = { settings: { RESEND: "once" } };
  const list = (items: object[], bookmark: string | null = null): ScriptedResponse => ({ json: { items, bookmark } });
  const verifyAfter = async (
    elapsedMs: number,
    script: ScriptedResponse,
    overrides: JsonObject = {},
    parts: PostOverrides = {},
  ) => {
    const client = scriptedClient(script);
    const committed = post({ committedAt: NOW, now: NOW + elapsedMs, ...parts });
    return { outcome: await pinterest.verify(client, committed, ref(["2", "3"], overrides)), client };
  };

  test("returns the sent call in its commit ref", async ({ expect }) => {
    expect(await pinterest.commit(scriptedClient(503), post(), ref(["1"]))).toMatchObject({
      state: "uncertain",
      httpStatus: 503,
      ref: { sendCount: 1, sentAt: NOW },
    });
    expect(await pinterest.commit(scriptedClient("connection_lost"), post(), ref(["1"]))).toMatchObject({
      state: "uncertain",
    });
  });

  test("is searched for on its own board", async ({ expect }) => {
    const { outcome, client } = await verifyAfter(20_000, list([listed()]));
    expect(client.requests[0]?.url.pathname).toBe("/v5/boards/2/pins");
    expect(outcome).toEqual({ state: "more", ref: ref(["3"]), progress: progressWith(["2", "p9"]) });
    const last = scriptedClient(list([listed()]));
    expect(await pinterest.verify(last, post({ committedAt: NOW, now: NOW + 20_000 }), ref(["3"]))).toMatchObject({
      state: "published",
      remoteId: "p9",
    });
  });

  test.for<[string, object]>([
    ["older", { created_at: new Date(NOW - 61_000).toISOString().slice(0, 19) }],
    ["of another user", { is_owner: false }],
    ["of another title", { title: "Green" }],
    ["of another text", { description: "Other" }],
    ["with another link", { link: "https://example.com/b" }],
    ["already recorded", { id: "p0" }],
  ])("does not match a pin that is %s", async ([, overrides], { expect }) => {
    const { outcome } = await verifyAfter(
      20_000,
      list([listed(overrides)]),
      {},
      { progress: progressWith(["1", "p0"]) },
    );
    expect(outcome).toMatchObject({ state: "again" });
  });

  test("is unknown after three checks in five minutes, and absent only where the operator says so", async ({
    expect,
  }) => {
    const emptyList = list([]);
    expect((await verifyAfter(1000, emptyList)).outcome).toEqual({
      state: "again",
      afterSeconds: 14,
      isProcessing: false,
    });
    expect((await verifyAfter(1000, emptyList)).client.requests).toHaveLength(0);
    expect((await verifyAfter(15_000, emptyList)).outcome).toEqual({
      state: "again",
      afterSeconds: 60,
      isProcessing: false,
    });
    expect((await verifyAfter(75_000, emptyList)).outcome).toEqual({
      state: "again",
      afterSeconds: 225,
      isProcessing: false,
    });
    expect((await verifyAfter(300_000, emptyList)).outcome).toMatchObject({ state: "cannot_tell" });
    expect((await verifyAfter(300_000, emptyList, {}, SENT_ONCE_MORE)).outcome).toEqual({ state: "absent" });
    const sentTwice = { sendCount: 2, sentAt: NOW };
    expect((await verifyAfter(300_000, emptyList, sentTwice, SENT_ONCE_MORE)).outcome).toMatchObject({
      state: "cannot_tell",
    });
  });

  test("is not absent if the list is incomplete", async ({ expect }) => {
    const fresh = Array.from({ length: 250 }, () => listed({ title: "Other" }));
    expect((await verifyAfter(300_000, list(fresh, "more"))).outcome).toMatchObject({ state: "again" });
    const old = Array.from({ length: 250 }, () => listed({ created_at: "2020-01-01T00:00:00" }));
    const { outcome, client } = await verifyAfter(300_000, list(old, "more"), {}, SENT_ONCE_MORE);
    expect(outcome).toEqual({ state: "absent" });
    expect(client.requests).toHaveLength(2);
  });

  test("cannot be verified on a board that cannot be read", async ({ expect }) => {
    expect((await verifyAfter(300_000, boardNotFound)).outcome).toMatchObject({ state: "cannot_tell" });
    expect((await verifyAfter(300_000, 503)).outcome).toMatchObject({ state: "again", isProcessing: false });
    expect((await verifyAfter(300_000, 401)).outcome).toMatchObject({ state: "refused", fault: { kind: "reconnect" } });
  });
});

describe("a video", () => {
  const videoPost = post({ media: [video({ sizeBytes: 3000 })], options: { board_ids: ["1", "2"] } });
  const uploadUrl = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/";
  const registered = (id: string, overrides: object = {}): ScriptedResponse => ({
    status: 201,
    json: {
      media_id: id,
      media_type: "video",
      upload_url: uploadUrl,
      upload_parameters: { key: "uploads/x", policy: "abc", "Content-Type": "multipart/form-data" },
      ...overrides,
    },
  });
  const cursorOf = (outcome: Awaited<ReturnType<typeof pinterest.prepare>>) =>
    outcome.state === "again" ? outcome.cursor : undefined;
  const mediaStatus = (status: string): ScriptedResponse => ({ json: { media_id: "m", media_type: "video", status } });

  test("is uploaded as one form: all fields, then the file, without a token and with a known length", async ({
    expect,
  }) => {
    const client = captureBodies(scriptedClient(registered("m1"), 204));
    expect(await pinterest.prepare(client, videoPost, undefined)).toMatchObject({
      state: "again",
      cursor: { uploads: [{ board: "1", mediaId: "m1", done: false }] },
    });
    expect(parseRequestBody(client.requests[0])).toEqual({ media_type: "video" });
    const sent = client.requests[1];
    expect(sent?.headers.get("authorization")).toBeNull();
    expect(sent?.headers.get("content-length")).toBe(String(client.bodies[1]?.byteLength));
    const form = await new Response(client.bodies[1], {
      headers: { "content-type": sent?.headers.get("content-type") ?? "" },
    }).formData();
    expect([...form.keys()]).toEqual(["key", "policy", "Content-Type", "file"]);
    const file = form.get("file");
    expect(file instanceof File && file.size).toBe(3000);
  });

  test("is uploaded once per board and polled until it is processed", async ({ expect }) => {
    const first = await pinterest.prepare(captureBodies(scriptedClient(registered("m1"), 204)), videoPost, undefined);
    const second = await pinterest.prepare(
      captureBodies(scriptedClient(registered("m2"), 204)),
      videoPost,
      cursorOf(first),
    );
    const waits: number[] = [];
    let step = second;
    for (const word of ["registered", "processing", "processing", "processing", "processing"]) {
      const script: ScriptedResponse = (sent) => mediaStatus(sent.url.pathname.endsWith("/m1") ? "succeeded" : word);
      step = await pinterest.prepare(scriptedClient(script), videoPost, cursorOf(step));
      waits.push(step.state === "again" ? step.afterSeconds : -1);
    }
    expect(waits).toEqual([1, 2, 4, 8, 10]);
    const client = scriptedClient(mediaStatus("succeeded"));
    expect(await pinterest.prepare(client, videoPost, cursorOf(step))).toMatchObject({
      state: "ready",
      ref: { boards: ["1", "2"], mediaIds: { "1": "m1", "2": "m2" } },
    });
    expect(client.requests.map((sent) => sent.url.pathname)).toEqual(["/v5/media/m2"]);
  });

  test("is registered again when the upload is refused, then reports a temporary fault", async ({ expect }) => {
    const refused = await pinterest.prepare(captureBodies(scriptedClient(registered("m1"), 403)), videoPost, undefined);
    expect(refused).toMatchObject({ state: "again", cursor: { uploads: [], refusalCount: 1 } });
    const again = await pinterest.prepare(
      captureBodies(scriptedClient(registered("m2"), 400)),
      videoPost,
      cursorOf(refused),
    );
    expect(again).toMatchObject({ state: "refused", fault: { kind: "temporary" } });
    for (const script of [500, "connection_lost"] as const) {
      expect(
        await pinterest.prepare(captureBodies(scriptedClient(registered("m1"), script)), videoPost, undefined),
      ).toMatchObject({
        state: "refused",
        fault: { kind: "temporary" },
      });
    }
  });

  test("does not hang if the storage answers before it has read everything", async ({ expect }) => {
    const outcome = await pinterest.prepare(scriptedClient(registered("m1"), 403), videoPost, undefined);
    expect(outcome).toMatchObject({ state: "again" });
  });

  test("is uploaded to Pinterest's storage hosts only", async ({ expect }) => {
    for (const url of ["https://amazonaws.com.example.com/", "http://a.s3.amazonaws.com/", "nonsense"]) {
      const client = scriptedClient(registered("m1", { upload_url: url }), 204);
      expect(await pinterest.prepare(client, videoPost, undefined)).toMatchObject({ state: "refused" });
      expect(client.requests).toHaveLength(1);
    }
  });

  test.for<[string, ScriptedResponse, string]>([
    ["fails", { json: { status: "failed", failure_code: "E1" } }, "media_invalid"],
    ["does not finish", mediaStatus("processing"), "processing_failed"],
  ])("whose processing %s fails the post", async ([, script, code], { expect }) => {
    const uploads = ["1", "2"].map((board) => ({ board, mediaId: `m${board}`, done: false }));
    const cursor = { uploads, processingSince: NOW - 601_000, pollCount: 9, refusalCount: 0 };
    expect(await pinterest.prepare(scriptedClient(script), videoPost, cursor)).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code },
    });
  });
});
