import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import type { Fault } from "#platforms/contract.ts";
import { toFault } from "#platforms/facebook/errors.ts";
import { facebook } from "#platforms/facebook/index.ts";
import { createCommitRef } from "#platforms/facebook/refs.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { validationInput, image, job, NOW, video } from "../../support/adapter-inputs.ts";

const reel = (overrides: Parameters<typeof video>[0] = {}) => video({ width: 1080, height: 1920, ...overrides });
const problems = (overrides: Parameters<typeof validationInput>[0]) =>
  facebook.validate(validationInput(overrides)).problems.map(({ code, param }) => `${code} ${param}`);
const response = (code: number, subcode?: number, status = 400, message = "m") => ({
  status,
  headers: new Headers(),
  json: { error: { message, code, error_subcode: subcode } },
});
const refusal = (code: number, subcode?: number, status = 400, message = "m"): ScriptedResponse => ({
  status,
  json: response(code, subcode, status, message).json,
});

describe("placement", () => {
  test("a video is a reel by default; everything else is published in the timeline", ({ expect }) => {
    expect(facebook.validate(validationInput({ media: [reel()] }))).toMatchObject({
      placement: "reels",
      options: { placement: "reels" },
    });
    expect(facebook.validate(validationInput({ media: [image()] }))).toMatchObject({ placement: "timeline" });
    expect(
      facebook.validate(
        validationInput({
          media: [video({ width: 1280, height: 720, durationSeconds: 600 })],
          options: { placement: "timeline" },
        }),
      ).problems,
    ).toEqual([]);
    expect(problems({ options: { placement: "reels" } })).toEqual(["option_conflict platform_options.placement"]);
    expect(problems({ options: { placement: "reels" }, media: [image()] })).toEqual([
      "option_conflict platform_options.placement",
    ]);
    expect(problems({ media: [reel(), image()] })).toEqual(["media_mixed media_items"]);
    expect(problems({ media: [reel(), reel()] })).toEqual(["media_too_many media_items"]);
  });

  test("a link to Facebook and an unusual file layout are warnings", ({ expect }) => {
    const unusual = reel({ facts: { moovFirst: false } });
    const caption = "https://www.facebook.com/almanac";
    expect(facebook.validate(validationInput({ caption, media: [unusual] }))).toMatchObject({
      problems: [],
      warnings: [{ code: "media_layout" }, { code: "link_may_be_refused" }],
    });
  });

  test("the limits of a reel", ({ expect }) => {
    const reelProblems = (overrides: Parameters<typeof video>[0]) => problems({ media: [reel(overrides)] });
    expect(reelProblems({ durationSeconds: 90 })).toEqual([]);
    expect(reelProblems({ durationSeconds: 91 })).toEqual(["media_duration media_items[0]"]);
    expect(reelProblems({ durationSeconds: 2 })).toEqual(["media_duration media_items[0]"]);
    // Both sides are too short.
    expect(reelProblems({ width: 360, height: 640 })).toEqual(Array(2).fill("media_dimensions media_items[0]"));
    expect(reelProblems({ width: 1080, height: 2400 })).toEqual(["media_aspect_ratio media_items[0]"]);
    expect(reelProblems({ facts: { frameRate: 23.976 } })).toEqual([]);
    expect(reelProblems({ facts: { frameRate: 15 } })).toEqual(["media_frame_rate media_items[0]"]);
    const verticalVideo = facebook.validate(validationInput({ media: [reel()], options: { placement: "timeline" } }));
    expect(verticalVideo).toMatchObject({ problems: [], warnings: [{ code: "may_become_draft" }] });
  });
});

describe("the fault of every error code", () => {
  test.for<[number, number | undefined, number, string, Partial<Fault>]>([
    ...[458, 459, 460, 463, 464, 467, 492].map((subcode): [number, number, number, string, Partial<Fault>] => [
      190,
      subcode,
      400,
      "m",
      { kind: "reconnect", category: "auth", platformCode: `190/${subcode}` },
    ]),
    [102, undefined, 400, "m", { kind: "reconnect" }],
    [10, undefined, 403, "m", { kind: "reconnect", category: "permission" }],
    [200, undefined, 403, "m", { kind: "reconnect", category: "permission" }],
    [200, 1404078, 400, "m", { kind: "reconnect", code: "page_authorization" }],
    [1, 4854002, 400, "m", { kind: "reconnect", code: "identity_unconfirmed" }],
    [4, undefined, 400, "m", { kind: "rate_limited" }],
    [17, undefined, 400, "m", { kind: "rate_limited" }],
    [32, undefined, 403, "Page request limit reached", { kind: "rate_limited", category: "rate_limit" }],
    [341, undefined, 400, "m", { kind: "rate_limited" }],
    [613, undefined, 400, "m", { kind: "rate_limited" }],
    [80001, undefined, 400, "m", { kind: "rate_limited" }],
    [1, 1390008, 400, "m", { kind: "rate_limited" }],
    [
      368,
      undefined,
      400,
      "The action attempted has been deemed abusive",
      { kind: "rate_limited", code: "activity_restricted", retryAfterSeconds: 86_400 },
    ],
    [368, undefined, 400, "It looks like you already posted this", { kind: "rejected", code: "duplicate_content" }],
    [
      506,
      undefined,
      400,
      "Duplicate status message",
      { kind: "rejected", code: "duplicate_content", category: "duplicate" },
    ],
    [1, 1366051, 400, "m", { kind: "rejected", code: "duplicate_content" }],
    [1, undefined, 500, "m", { kind: "temporary" }],
    [2, undefined, 500, "m", { kind: "temporary" }],
    [1363047, undefined, 400, "m", { kind: "temporary" }],
    [1609010, undefined, 400, "m", { kind: "temporary" }],
    [100, 33, 400, "m", { kind: "temporary" }],
    [
      100,
      undefined,
      400,
      "(#100) Invalid parameter",
      { kind: "rejected", message: "Facebook refused the post: Invalid parameter" },
    ],
    [324, 1366046, 400, "m", { kind: "rejected", code: "media_invalid", category: "media" }],
    [100, 2069019, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [6000, undefined, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [352, undefined, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [1363040, undefined, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [1363127, undefined, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [1363128, undefined, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [1363129, undefined, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [1346003, undefined, 400, "m", { kind: "rejected", category: "content" }],
    [1404102, undefined, 400, "m", { kind: "rejected", category: "content" }],
    [1404112, undefined, 400, "m", { kind: "rejected", code: "account_restricted" }],
    [1609005, undefined, 400, "m", { kind: "rejected", code: "content_refused" }],
    [1609008, undefined, 400, "m", { kind: "rejected", code: "content_refused" }],
    [100, 2061006, 400, "m", { kind: "rejected", code: "media_invalid" }],
    [3, undefined, 400, "m", { kind: "rejected", whoMustAct: "operator" }],
  ])("%i/%s with %i %s", ([code, subcode, status, message, fault], { expect }) => {
    expect(toFault(response(code, subcode, status, message))).toMatchObject(fault);
  });

  test.for<[string, boolean, Partial<Fault>]>([
    [
      "ProcessingFailedError",
      false,
      { kind: "rejected", code: "media_invalid", platformCode: "ProcessingFailedError" },
    ],
    ["ProcessingFailedError", true, { kind: "temporary" }],
    ["NotAuthorizedError", false, { kind: "reconnect" }],
  ])("the upload host's %s, retriable %s", ([type, retriable, fault], { expect }) => {
    const json = { debug_info: { retriable, type, message: "m" } };
    expect(toFault({ status: 400, headers: new Headers(), json })).toMatchObject(fault);
  });
});

describe("photos of a post", () => {
  test("are uploaded unpublished, and only those that failed are uploaded again", async ({ expect }) => {
    const post = job({ media: [image(), image()] });
    const client = scriptedClient({ json: { id: "1" } }, 503, { json: { id: "2" } });
    const first = await facebook.prepare(client, post, undefined);
    expect(first).toMatchObject({ state: "again", cursor: { photos: ["1", null] } });
    const second = await facebook.prepare(client, post, first.state === "again" ? first.cursor : undefined);
    expect(second).toMatchObject({ state: "ready", ref: { kind: "feed", photos: ["1", "2"] } });
    expect(client.requests).toHaveLength(3);
    expect(parseRequestBody(client.requests[0])).toEqual({ url: post.media[0]?.url, published: false });
  });

  test("are published by one call", async ({ expect }) => {
    const client = scriptedClient({ json: { id: "11_22", permalink_url: "/11/posts/22" } });
    const outcome = await facebook.commit(client, job(), createCommitRef("feed", { photos: ["1", "2"] }));
    expect(outcome).toEqual({ state: "published", remoteId: "11_22", url: "https://www.facebook.com/11/posts/22" });
    expect(parseRequestBody(client.requests[0])).toEqual({
      message: "Release notes are out",
      attached_media: [{ media_fbid: "1" }, { media_fbid: "2" }],
      published: true,
    });
  });
});

describe("a reel", () => {
  const started: ScriptedResponse = {
    json: { video_id: "99", upload_url: "https://rupload.facebook.com/video-upload/v25.0/99" },
  };
  const status = (value: object): ScriptedResponse => ({ json: { id: "99", status: value } });
  const uploaded = status({
    video_status: "processing",
    uploading_phase: { status: "complete" },
    processing_phase: { status: "not_started" },
  });

  async function prepared(script: readonly ScriptedResponse[], post = job({ media: [reel()] })) {
    const client = scriptedClient(...script);
    let cursor: JsonValue | undefined;
    for (let count = 0; count < 20; count++) {
      const outcome = await facebook.prepare(client, post, cursor);
      if (outcome.state !== "again") {
        return { outcome, client };
      }
      cursor = JSON.parse(JSON.stringify(outcome.cursor)) as JsonValue;
    }
    throw new Error("prepare did not become ready");
  }

  test("is downloaded by the platform", async ({ expect }) => {
    const { outcome, client } = await prepared([started, { json: { success: true } }, uploaded]);
    expect(outcome).toMatchObject({ state: "ready", ref: { kind: "reel", videoId: "99" } });
    expect(client.requests[1]?.headers.get("file_url")).toMatch(/^https:/);
    expect(client.requests[1]?.headers.get("authorization")).toMatch(/^OAuth /);
    expect(client.requests[1]?.body).toBeNull();
  });

  test("is uploaded as bytes where the platform refuses to download it, continuing at the interrupted offset", async ({
    expect,
  }) => {
    const refused: ScriptedResponse = {
      status: 400,
      json: {
        debug_info: { retriable: false, type: "ParameterValidationError", message: "Header Offset not convertable" },
      },
    };
    const half = status({
      video_status: "uploading",
      uploading_phase: { status: "in_progress", bytes_transfered: 500 },
    });
    const { outcome, client } = await prepared([started, refused, half, { json: { success: true } }, uploaded]);
    expect(outcome).toMatchObject({ state: "ready" });
    expect(client.requests[3]?.headers.get("offset")).toBe("500");
    expect(client.requests[3]?.headers.get("file_size")).toBe("2000");
  });

  test("never sends the token to another host", async ({ expect }) => {
    const { outcome, client } = await prepared([
      { json: { video_id: "99", upload_url: "https://evil.example.com/99" } },
    ]);
    expect(outcome).toMatchObject({ state: "refused", fault: { kind: "temporary" } });
    expect(client.requests).toHaveLength(1);
  });

  test("that cannot be processed is refused with the reason", async ({ expect }) => {
    const broken = status({
      video_status: "error",
      processing_phase: { status: "error", errors: [{ code: 1363128, message: "m" }] },
    });
    const { outcome } = await prepared([started, { json: { success: true } }, broken]);
    expect(outcome).toMatchObject({ state: "refused", fault: { code: "media_invalid", platformCode: "1363128" } });
  });

  test("is accepted first, and published when its status says so", async ({ expect }) => {
    const ref = createCommitRef("reel", { videoId: "99" });
    const committed = await facebook.commit(scriptedClient({ json: { success: true } }), job(), ref);
    expect(committed).toMatchObject({ state: "accepted", ref: { accepted: true } });
    const accepted = committed.state === "accepted" ? committed.ref : null;
    const at = (seconds: number) => job({ committedAt: NOW, now: NOW + seconds * 1000 });
    const working = status({
      video_status: "processing",
      uploading_phase: { status: "complete" },
      processing_phase: { status: "in_progress" },
      publishing_phase: { status: "not_started" },
    });
    expect(await facebook.verify(scriptedClient(working), at(300), accepted)).toMatchObject({
      state: "again",
      isProcessing: true,
    });
    const live = status({
      video_status: "ready",
      publishing_phase: { status: "complete", publish_status: "published" },
    });
    expect(await facebook.verify(scriptedClient(live), at(20), accepted)).toEqual({
      state: "published",
      remoteId: "99",
      url: "https://www.facebook.com/reel/99",
    });
  });

  test("is reported as absent after a lost connection only when publishing has not begun", async ({ expect }) => {
    const at = (seconds: number) => job({ committedAt: NOW, now: NOW + seconds * 1000 });
    const ref = createCommitRef("reel", { videoId: "99", sendCount: 1, sentAt: NOW });
    const idle = status({
      video_status: "upload_complete",
      uploading_phase: { status: "complete" },
      processing_phase: { status: "not_started" },
      publishing_phase: { status: "not_started" },
    });
    expect(await facebook.verify(scriptedClient(idle), at(10), ref)).toMatchObject({
      state: "again",
      isProcessing: false,
    });
    expect(await facebook.verify(scriptedClient(idle), at(70), ref)).toEqual({ state: "absent" });
    const busy = status({
      video_status: "processing",
      processing_phase: { status: "in_progress" },
      publishing_phase: { status: "not_started" },
    });
    expect(await facebook.verify(scriptedClient(busy), at(70), ref)).toMatchObject({
      state: "again",
      isProcessing: true,
    });
  });
});

describe("after an uncertain outcome", () => {
  const at = (seconds: number) => job({ committedAt: NOW, now: NOW + seconds * 1000 });
  const ref = createCommitRef("feed", { sendCount: 1, sentAt: NOW });
  const listed = (overrides: object): ScriptedResponse => ({
    json: {
      data: [
        {
          id: "11_22",
          message: "Release  notes are out",
          created_time: "2030-01-01T12:00:01+0000",
          application: { id: "client-id" },
          ...overrides,
        },
      ],
    },
  });

  test("only a post of our app matches", async ({ expect }) => {
    expect(await facebook.verify(scriptedClient(listed({})), at(10), ref)).toMatchObject({
      state: "published",
      remoteId: "11_22",
    });
    expect(
      await facebook.verify(scriptedClient(listed({ application: { id: "somebody" } })), at(181), ref),
    ).toMatchObject({
      state: "cannot_tell",
    });
    expect(
      await facebook.verify(scriptedClient(listed({ created_time: "2030-01-01T11:00:01+0000" })), at(181), ref),
    ).toEqual({ state: "absent" });
  });

  test("a post is identified by its photos", async ({ expect }) => {
    const photos = { ...ref, photos: ["1", "2"] };
    const other = {
      message: "other",
      attachments: { data: [{ subattachments: { data: [{ target: { id: "2" } }] } }] },
    };
    expect(await facebook.verify(scriptedClient(listed(other)), at(10), photos)).toMatchObject({ state: "published" });
    const otherPhoto = { attachments: { data: [{ target: { id: "77" } }] } };
    expect(await facebook.verify(scriptedClient(listed(otherPhoto)), at(181), photos)).toEqual({ state: "absent" });
  });

  test("three checks, one more send, then cannot_tell", async ({ expect }) => {
    const empty: ScriptedResponse = { json: { data: [] } };
    expect(await facebook.verify(scriptedClient(500), at(3), ref)).toEqual({
      state: "again",
      afterSeconds: 7,
      isProcessing: false,
    });
    expect(await facebook.verify(scriptedClient(empty), at(10), ref)).toEqual({
      state: "again",
      afterSeconds: 50,
      isProcessing: false,
    });
    expect(await facebook.verify(scriptedClient(empty), at(60), ref)).toEqual({
      state: "again",
      afterSeconds: 120,
      isProcessing: false,
    });
    expect(await facebook.verify(scriptedClient(empty), at(180), ref)).toEqual({ state: "absent" });
    expect(await facebook.verify(scriptedClient(empty), at(180), { ...ref, sendCount: 2 })).toMatchObject({
      state: "cannot_tell",
    });
  });

  test("an incomplete list is no proof that a post is absent", async ({ expect }) => {
    const others = Array.from({ length: 25 }, (_, number) => ({
      id: `11_${number}`,
      message: "Something else",
      created_time: "2030-01-01T12:00:30+0000",
    }));
    const endless: ScriptedResponse = {
      json: { data: others, paging: { next: "https://graph.facebook.com/next", cursors: { after: "more" } } },
    };
    for (const kind of ["feed", "video"] as const) {
      const client = scriptedClient(endless);
      expect(
        await facebook.verify(client, at(181), createCommitRef(kind, { sendCount: 1, sentAt: NOW })),
      ).toMatchObject({
        state: "again",
        isProcessing: false,
      });
      expect(client.requests.length).toBeGreaterThan(4);
    }
  });

  test("a list is not read further back than the call", async ({ expect }) => {
    const older: ScriptedResponse = {
      json: {
        data: [{ id: "11_1", message: "Something else", created_time: "2030-01-01T11:00:00+0000" }],
        paging: { next: "https://graph.facebook.com/next", cursors: { after: "more" } },
      },
    };
    const client = scriptedClient(older);
    expect(await facebook.verify(client, at(181), createCommitRef("video", { sendCount: 1, sentAt: NOW }))).toEqual({
      state: "absent",
    });
    expect(client.requests).toHaveLength(1);
  });

  test("a duplicate is refused on the first call and uncertain after an earlier one", async ({ expect }) => {
    expect(
      await facebook.commit(scriptedClient(refusal(506)), job({ committedAt: NOW }), createCommitRef("feed")),
    ).toMatchObject({
      state: "refused",
      fault: { code: "duplicate_content" },
    });
    expect(await facebook.commit(scriptedClient(refusal(506)), job(), ref)).toMatchObject({
      state: "uncertain",
      ref: { duplicate: true },
    });
  });

  test("a timeline video that became a draft is refused, not published", async ({ expect }) => {
    const draftVideo: ScriptedResponse = { json: { id: "99", published: false, status: { video_status: "ready" } } };
    const video_ = createCommitRef("video", { videoId: "99", accepted: true });
    expect(await facebook.verify(scriptedClient(draftVideo), at(100), video_)).toMatchObject({
      state: "refused",
      fault: { code: "became_draft" },
    });
  });
});

describe("a text with an address", () => {
  const sentBody = async (caption: string, photos: readonly string[] = []) => {
    const client = scriptedClient({ json: { id: "1_2", permalink_url: "https://www.facebook.com/1_2" } });
    await facebook.commit(client, job({ caption }), createCommitRef("feed", { photos: [...photos] }));
    return parseRequestBody(client.requests[0]);
  };

  test.for([
    ["See https://example.com/kiln, it is open.", "https://example.com/kiln"],
    ["(https://example.com/a) and https://example.com/b", "https://example.com/a"],
    ["https://example.com/a_(b)", "https://example.com/a_(b)"],
    ["https://www.facebook.com/almanac and https://example.com/?q=1#x", "https://example.com/?q=1#x"],
    ["https://www.facebook.com/almanac", undefined],
    ["no address: http:// and example", undefined],
  ] as const)("%s", async ([caption, link], { expect }) => {
    expect(await sentBody(caption)).toMatchObject({ message: caption });
    expect((await sentBody(caption))["link"]).toBe(link);
    expect(await sentBody(caption, ["11"])).not.toHaveProperty("link");
  });
});

describe("a timeline video", () => {
  const media = [video({ sizeBytes: 5000, width: 1280, height: 720 })];
  const timeline = (overrides: Parameters<typeof job>[0] = {}) =>
    job({ media, options: { placement: "timeline" }, ...overrides });
  const session: ScriptedResponse = {
    json: { upload_session_id: "7", video_id: "99", start_offset: "0", end_offset: "3000" },
  };
  const started = { sessionId: "7", videoId: "99", start: 0, end: 3000, since: NOW, rebuildCount: 0 };
  const ref = createCommitRef("video", { videoId: "99", sessionId: "7" });

  test("is uploaded in the parts that Facebook asks for, and published by the session", async ({ expect }) => {
    const client = scriptedClient(
      session,
      { json: { start_offset: "3000", end_offset: "5000" } },
      { json: { start_offset: 5000, end_offset: 5000 } },
    );
    let cursor: JsonValue | undefined;
    for (let part = 0; part < 3; part++) {
      const outcome = await facebook.prepare(client, timeline(), cursor);
      expect(outcome).toMatchObject({ state: "again", afterSeconds: 0 });
      cursor = outcome.state === "again" ? outcome.cursor : undefined;
    }
    expect(await facebook.prepare(client, timeline(), cursor)).toMatchObject({
      state: "ready",
      ref: { kind: "video", videoId: "99", sessionId: "7" },
    });
    expect(client.requests.every(({ url }) => url.hostname === "graph-video.facebook.com")).toBe(true);
    const finish = scriptedClient({ json: { success: true } });
    expect(await facebook.commit(finish, timeline({ caption: "A glaze" }), ref)).toMatchObject({ state: "accepted" });
    expect(parseRequestBody(finish.requests[0])).toMatchObject({
      upload_phase: "finish",
      upload_session_id: "7",
      description: "A glaze",
      custom_labels: [expect.stringMatching(/^[0-9a-f]{20}$/)],
    });
  });

  test.for([
    ["an object", { start_offset: "1000", end_offset: "5000" }],
    ["text", '{"start_offset":1000,"end_offset":5000}'],
  ] as const)("goes on from the offset that a refusal names as %s", async ([, error_data], { expect }) => {
    const client = scriptedClient({
      status: 400,
      json: { error: { code: 6000, error_subcode: 1_363_037, message: "m", error_data } },
    });
    expect(await facebook.prepare(client, timeline(), started)).toMatchObject({
      state: "again",
      cursor: { start: 1000, end: 5000 },
    });
  });

  test("gets a new session when Facebook has forgotten the first, twice at most", async ({ expect }) => {
    const forgotten = scriptedClient(refusal(100), session);
    expect(await facebook.prepare(forgotten, timeline(), started)).toMatchObject({
      state: "again",
      cursor: { rebuildCount: 1 },
    });
    expect(
      await facebook.prepare(scriptedClient(refusal(100)), timeline(), { ...started, rebuildCount: 2 }),
    ).toMatchObject({ state: "refused", fault: { kind: "rejected" } });
  });

  test.for([1_363_019, 1_363_030, 1_363_033])("sends a part again after error %i", async (subcode, { expect }) => {
    expect(await facebook.prepare(scriptedClient(refusal(6000, subcode)), timeline(), started)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });

  test("a refused repetition of the last call means that the first one may have arrived", async ({ expect }) => {
    const repeated = { ...ref, sendCount: 1, sentAt: NOW - 400_000 };
    expect(await facebook.commit(scriptedClient(refusal(100)), timeline(), repeated)).toMatchObject({
      state: "uncertain",
    });
    expect(await facebook.commit(scriptedClient(refusal(100)), timeline(), ref)).toMatchObject({ state: "refused" });
  });

  test("is not sent again before the longest documented answer time is over", async ({ expect }) => {
    const notBegun: ScriptedResponse = {
      json: { id: "99", published: false, status: { publishing_phase: { status: "not_started" } } },
    };
    const at = (seconds: number) =>
      facebook.verify(
        scriptedClient(notBegun),
        timeline({ committedAt: NOW, lastCommittedAt: NOW, now: NOW + seconds * 1000 }),
        { ...ref, sendCount: 1, sentAt: NOW },
      );
    for (const seconds of [1, 60, 240, 300, 360]) {
      expect(await at(seconds)).toMatchObject({ state: "again" });
    }
    expect(await at(361)).toEqual({ state: "absent" });
  });

  test("that surfaces as a reel has the address that Facebook names", async ({ expect }) => {
    const surfaced: ScriptedResponse = {
      json: { permalink_url: "/reel/99/", published: true, status: { video_status: "ready" } },
    };
    expect(await facebook.verify(scriptedClient(surfaced), timeline(), { ...ref, accepted: true })).toEqual({
      state: "published",
      remoteId: "99",
      url: "https://www.facebook.com/reel/99/",
    });
  });
});
