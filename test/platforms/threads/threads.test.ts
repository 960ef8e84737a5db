import { describe, test } from "vitest";
import type { JsonValue } from "#core/json.ts";
import type { Fault } from "#platforms/contract.ts";
import { containerFailure, isUncertainCommit, toFault } from "#platforms/threads/errors.ts";
import { threads } from "#platforms/threads/index.ts";
import { comparableCaption, findLinks, findTags, textLength } from "#platforms/threads/text.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { validationInput, image, job, NOW, video } from "../../support/adapter-inputs.ts";

const problems = (overrides: Parameters<typeof validationInput>[0]) =>
  threads.validate(validationInput(overrides)).problems.map(({ code, param }) => `${code} ${param}`);
const refusal = (code: number, subcode?: number, status = 400, message = "m"): ScriptedResponse => ({
  status,
  json: { error: { message, type: "OAuthException", code, error_subcode: subcode, is_transient: false } },
});
const response = (code: number, subcode?: number, status = 400, message = "m") => ({
  status,
  headers: new Headers(),
  json: { error: { message, code, error_subcode: subcode } },
});

describe("validation and text length", () => {
  test.for<[string, number]>([
    ["hello", 5],
    ["😀", 4],
    ["👨‍👩‍👧", 18],
    ["🇩🇪", 8],
    ["日本", 2],
    ["1️⃣", 7],
    ["é", 1],
  ])("%s is %i", ([text, length], { expect }) => {
    expect(textLength(text)).toBe(length);
  });

  test("at most five different links; only the first tag is a topic", ({ expect }) => {
    const links = (count: number) =>
      Array.from({ length: count }, (_, index) => `https://example.com/${index}`).join(" ");
    expect(findLinks("see https://a.example/1, and (https://a.example/1).")).toEqual(["https://a.example/1"]);
    expect(problems({ caption: links(5) })).toEqual([]);
    expect(problems({ caption: links(6) })).toEqual(["too_many_links caption"]);
    expect(findTags("#1 #one a#b #two.")).toEqual(["#one", "#two"]);
    expect(threads.validate(validationInput({ caption: "#one and #two" })).warnings).toMatchObject([
      { code: "one_topic" },
    ]);
    expect(threads.validate(validationInput({ caption: "a".repeat(481) })).warnings).toMatchObject([
      { code: "caption_near_limit" },
    ]);
    expect(comparableCaption("a  #b\n")).toBe(comparableCaption("a b"));
  });

  test("media: at most twenty items, mixed types, JPEG and PNG, at most five minutes", ({ expect }) => {
    expect(
      problems({ media: [...Array(10).fill(image({ contentType: "image/png" })), ...Array(10).fill(video())] }),
    ).toEqual([]);
    expect(problems({ media: [...Array(11).fill(image()), ...Array(10).fill(video())] })).toEqual([
      "media_too_many media_items",
    ]);
    expect(problems({ media: [image({ contentType: "image/webp" })] })).toEqual([
      "media_type_unsupported media_items[0]",
    ]);
    expect(problems({ media: [video({ durationSeconds: 301 })] })).toEqual(["media_duration media_items[0]"]);
    expect(problems({ caption: "" })).toEqual(["caption_required caption"]);
    expect(problems({ caption: "", media: [image()] })).toEqual([]);
  });
});

describe("the fault of every error code", () => {
  test.for<[number, number | undefined, number, string, Partial<Fault>]>([
    [190, 463, 401, "Session has expired", { kind: "reconnect", category: "auth", platformCode: "190/463" }],
    [102, undefined, 400, "m", { kind: "reconnect" }],
    [10, undefined, 403, "m", { kind: "reconnect", code: "missing_scope" }],
    [200, undefined, 403, "m", { kind: "reconnect", code: "missing_scope" }],
    [100, undefined, 400, "Param text must be at most 500 characters long.", { kind: "rejected", category: "content" }],
    [100, undefined, 400, "THREADS_API__LINK_LIMIT_EXCEEDED", { kind: "rejected", code: "too_many_links" }],
    [1, 2207052, 400, "m", { kind: "temporary", code: "media_unreachable", category: "media" }],
    [24, 4279009, 400, "m", { kind: "temporary", code: "container_expired" }],
    [25, 2207050, 400, "m", { kind: "rejected", code: "account_restricted", whoMustAct: "user" }],
    [1, 4279013, 400, "m", { kind: "rejected", code: "account_restricted" }],
    [4, 2207051, 400, "m", { kind: "rate_limited", code: "activity_restricted" }],
    [9, 2207042, 400, "m", { kind: "rate_limited", code: "daily_cap_reached", category: "quota" }],
    [4, undefined, 400, "m", { kind: "rate_limited" }],
    [80002, undefined, 400, "m", { kind: "rate_limited" }],
    [2, undefined, 500, "m", { kind: "temporary" }],
  ])("%i/%s with %i %s", ([code, subcode, status, message, fault], { expect }) => {
    expect(toFault(response(code, subcode, status, message))).toMatchObject(fault);
  });

  test.for<[string, boolean, string]>([
    ["FAILED_DOWNLOADING_VIDEO", true, "processing_failed"],
    ["FAILED_PROCESSING_AUDIO", true, "processing_failed"],
    ["FAILED_PROCESSING_VIDEO", true, "processing_failed"],
    ["UNKNOWN", true, "processing_failed"],
    ["INVALID_ASPEC_RATIO", false, "media_invalid"],
    ["INVALID_BIT_RATE", false, "media_invalid"],
    ["INVALID_DURATION", false, "media_invalid"],
    ["INVALID_FRAME_RATE", false, "media_invalid"],
    ["INVALID_AUDIO_CHANNELS", false, "media_invalid"],
    ["INVALID_AUDIO_CHANNEL_LAYOUT", false, "media_invalid"],
  ])("a container with %s", ([errorMessage, canRebuild, code], { expect }) => {
    expect(containerFailure(errorMessage)).toMatchObject({ canRebuild, fault: { kind: "rejected", code } });
  });

  test("responses to the publishing call that leave it uncertain", ({ expect }) => {
    expect(isUncertainCommit(response(24, 4279009))).toBe(true);
    expect(isUncertainCommit(response(4, 2207051))).toBe(true);
    expect(isUncertainCommit(response(2, undefined, 500))).toBe(true);
    expect(isUncertainCommit(response(9, 2207042))).toBe(false);
    expect(isUncertainCommit(response(100, undefined))).toBe(false);
  });
});

describe("steps", () => {
  const created = (id: string): ScriptedResponse => ({ json: { id } });
  const status = (value: string, members: object = {}): ScriptedResponse => ({
    json: { id: "1", status: value, ...members },
  });
  const ref = { containerId: "1", restrictedCount: 0, notFoundCount: 0 };
  const at = (seconds: number) => job({ committedAt: NOW, now: NOW + seconds * 1000 });
  const empty: ScriptedResponse = { json: { data: [] } };

  async function prepareToEnd(script: readonly ScriptedResponse[], post = job()) {
    const client = scriptedClient(...script);
    const states: string[] = [];
    let cursor: JsonValue | undefined;
    for (let count = 0; count < 20; count++) {
      const outcome = await threads.prepare(client, post, cursor);
      states.push(outcome.state === "again" ? `again ${outcome.afterSeconds}` : outcome.state);
      if (outcome.state !== "again") {
        return { states, outcome, client };
      }
      cursor = JSON.parse(JSON.stringify(outcome.cursor)) as JsonValue;
    }
    throw new Error(states.join(" "));
  }

  test("a text is published through a container too, with a pause after it is finished", async ({ expect }) => {
    const { states, outcome, client } = await prepareToEnd([created("1"), status("IN_PROGRESS"), status("FINISHED")]);
    expect(states).toEqual(["again 5", "again 5", "again 2", "ready"]);
    expect(outcome).toMatchObject({ ref });
    expect(parseRequestBody(client.requests[0])).toEqual({ media_type: "TEXT", text: "Release notes are out" });
    const { origin, pathname } = client.requests[0]?.url ?? new URL("https://none.example");
    expect(origin + pathname).toBe("https://graph.threads.net/v1.0/17841400008460057/threads");
  });

  test("polls at the documented interval while there is time", async ({ expect }) => {
    const early = { dueAt: NOW + 600_000, media: [video()] };
    expect(await threads.prepare(scriptedClient(created("1")), job(early), undefined)).toMatchObject({
      afterSeconds: 30,
    });
    expect(await threads.prepare(scriptedClient(created("1")), job({ media: [video()] }), undefined)).toMatchObject({
      afterSeconds: 5,
    });
  });

  test("a carousel's children are created first, and existing ones are not created again", async ({ expect }) => {
    const post = job({ media: [image(), video()] });
    const { client, outcome } = await prepareToEnd(
      [created("1"), 503, created("2"), status("FINISHED"), status("FINISHED"), created("3"), status("FINISHED")],
      post,
    );
    expect(outcome).toMatchObject({ state: "ready", ref: { containerId: "3" } });
    const bodies = client.requests.filter((request) => request.method === "POST").map(parseRequestBody);
    expect(bodies).toHaveLength(4);
    expect(bodies[2]).toMatchObject({ media_type: "VIDEO", is_carousel_item: "true" });
    expect(bodies[3]).toEqual({ media_type: "CAROUSEL", children: "1,2", text: "Release notes are out" });
  });

  test("a failed container is created again twice, an invalid one never", async ({ expect }) => {
    const failedStatus = status("ERROR", { error_message: "FAILED_PROCESSING_VIDEO" });
    const { outcome, client } = await prepareToEnd(
      [created("1"), failedStatus, created("2"), failedStatus, created("3"), failedStatus],
      job({ media: [video()] }),
    );
    expect(outcome).toMatchObject({ state: "refused", fault: { code: "processing_failed" } });
    expect(client.requests.filter((request) => request.method === "POST")).toHaveLength(3);
    const invalid = await prepareToEnd(
      [created("1"), status("ERROR", { error_message: "INVALID_DURATION" })],
      job({ media: [video()] }),
    );
    expect(invalid.outcome).toMatchObject({
      state: "refused",
      fault: { code: "media_invalid", platformCode: "INVALID_DURATION" },
    });
  });

  test('"not found" tries the same container again soon, then creates a new one', async ({ expect }) => {
    const refused = await threads.commit(scriptedClient(refusal(24, 4279009)), job(), ref);
    expect(refused).toMatchObject({ state: "uncertain", ref: { notFoundCount: 1 } });
    const notFoundOnce = { ...ref, notFoundCount: 1 };
    expect(await threads.verify(scriptedClient(status("FINISHED"), empty), at(5), notFoundOnce)).toEqual({
      state: "absent",
    });
    expect(await threads.verify(scriptedClient(refusal(24, 4279009), empty), at(35), notFoundOnce)).toMatchObject({
      state: "stale",
    });
    expect(
      await threads.verify(scriptedClient(status("FINISHED"), empty), at(5), { ...ref, notFoundCount: 4 }),
    ).toMatchObject({
      state: "stale",
    });
  });

  test("after a lost connection the container's status decides, and the list only gives the id", async ({ expect }) => {
    const listed: ScriptedResponse = {
      json: {
        data: [
          {
            id: "9",
            text: "Release notes are out",
            media_type: "TEXT_POST",
            timestamp: "2030-01-01T12:00:03+0000",
            permalink: "https://www.threads.com/@ada/post/A",
          },
        ],
      },
    };
    expect(await threads.verify(scriptedClient(status("PUBLISHED"), listed), at(10), ref)).toEqual({
      state: "published",
      remoteId: "9",
      url: "https://www.threads.com/@ada/post/A",
    });
    expect(await threads.verify(scriptedClient(status("PUBLISHED"), empty), at(10), ref)).toEqual({
      state: "again",
      afterSeconds: 10,
      isProcessing: true,
    });
    expect(await threads.verify(scriptedClient(status("PUBLISHED"), empty), at(60), ref)).toEqual({
      state: "published",
      remoteId: "1",
      url: null,
    });
    expect(await threads.verify(scriptedClient(status("PUBLISHED"), 503), at(120), ref), "an unreadable list").toEqual({
      state: "again",
      afterSeconds: 10,
      isProcessing: true,
    });
    expect(await threads.verify(scriptedClient(status("PUBLISHED"), 503), at(301), ref)).toMatchObject({
      state: "published",
      remoteId: "1",
    });
    expect(await threads.verify(scriptedClient(status("FINISHED"), empty), at(30), ref)).toMatchObject({
      state: "again",
      isProcessing: false,
    });
    expect(await threads.verify(scriptedClient(status("FINISHED"), empty), at(66), ref)).toEqual({ state: "absent" });
    expect(await threads.verify(scriptedClient(status("EXPIRED"), empty), at(66), ref)).toMatchObject({
      state: "stale",
    });
  });

  test("a restriction is a refusal when the container is still unpublished a minute later", async ({ expect }) => {
    expect(await threads.commit(scriptedClient(refusal(4, 2207051)), job(), ref)).toMatchObject({
      state: "uncertain",
      ref: { restrictedCount: 1 },
    });
    expect(
      await threads.verify(scriptedClient(status("FINISHED"), empty), at(66), { ...ref, restrictedCount: 1 }),
    ).toMatchObject({ state: "refused", fault: { code: "activity_restricted" } });
  });

  test("a permalink that cannot be read does not fail the post", async ({ expect }) => {
    for (const script of [503, "connection_lost", { json: { id: "9" } }] as const) {
      expect(await threads.commit(scriptedClient({ json: { id: "9" } }, script), job(), ref)).toEqual({
        state: "published",
        remoteId: "9",
        url: null,
      });
    }
  });
});
