import { describe, test } from "vitest";
import { HOUR } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import { mastodon } from "#platforms/mastodon/index.ts";
import { type JobOverrides, NOW, validationInput } from "../../support/adapter-inputs.ts";
import { parseRequestBody, type ScriptedResponse, scriptedClient } from "../../support/scripted-http-client.ts";
import { threadOf } from "../../support/thread-content.ts";
import { mastodonAccount, mastodonJob, PROFILE, status } from "./fixture.ts";

/* A thread on Mastodon: what the post says of its readers holds for every part. */

const REF = { mediaIds: [], sendCount: 0, sentAt: null, createdId: null, refusal: null };
const ROOT = { id: "115000000000000001", url: null, at: NOW };
const { options } = threadOf(["", "Two", "Three"]);
const second = (overrides: JobOverrides = {}) =>
  mastodonJob({ caption: "One", options, progress: { thread: [ROOT] }, committedAt: NOW, ...overrides });

describe("the call of a part", () => {
  const callOf = async (overrides: JobOverrides) => {
    const client = scriptedClient(500);
    await mastodon.commit(client, second(overrides), REF);
    const [request] = client.requests;
    return { body: parseRequestBody(request), key: request?.headers.get("idempotency-key") };
  };

  test("answers the part before, for the same readers and behind the same warning", async ({ expect }) => {
    const common = { visibility: "private", spoiler_text: "Glaze", sensitive: true, language: "de" };
    expect((await callOf({ options: { ...options, ...common, alt_texts: ["A bowl"] } })).body).toEqual({
      status: "Two",
      in_reply_to_id: ROOT.id,
      ...common,
    });
  });

  test("has a key of its own", async ({ expect }) => {
    const { key } = await callOf({});
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect((await callOf({})).key).toBe(key);
    expect((await callOf({ progress: null })).key).not.toBe(key);
    expect((await callOf({ progress: { thread: [ROOT, { ...ROOT, id: "2" }] } })).key).not.toBe(key);
  });

  test("is refused where the part before is deleted", async ({ expect }) => {
    const gone = { status: 404, json: { error: "The post you are trying to reply to does not appear to exist." } };
    const outcome = await mastodon.commit(scriptedClient(gone), second(), REF);
    const ref = outcome.state === "uncertain" ? (outcome.ref ?? null) : null;
    const client = scriptedClient(({ url }) => ({ json: url.pathname.endsWith("/statuses") ? [] : PROFILE }));
    expect(await mastodon.verify(client, second({ now: NOW + 5000 }), ref)).toMatchObject({
      state: "refused",
      fault: { code: "content_refused", message: expect.stringContaining("does not appear to exist") },
    });
  });
});

describe("a part whose answer was lost", () => {
  const verify = async (
    list: readonly unknown[],
    overrides: JobOverrides = {},
    ref: JsonValue = { ...REF, sendCount: 1, sentAt: NOW },
  ) => {
    const answers = ({ url }: { readonly url: URL }): ScriptedResponse =>
      url.pathname.endsWith("/source")
        ? { json: { id: "1", text: "Two", spoiler_text: "" } }
        : { json: url.pathname.endsWith("/statuses") ? (url.searchParams.has("max_id") ? [] : list) : PROFILE };
    return await mastodon.verify(scriptedClient(answers), second({ now: NOW + 200_000, ...overrides }), ref);
  };

  test("is found by what it answers, and no other post passes for it", async ({ expect }) => {
    const mine = status({ id: "7", in_reply_to_id: ROOT.id });
    expect(await verify([mine, status({ id: "8" }), status({ id: "9", in_reply_to_id: "5" })])).toMatchObject({
      state: "more",
      prepareFirst: true,
      progress: { thread: [ROOT, { id: "7" }] },
    });
    expect(await verify([status({ id: "8" })])).toEqual({ state: "absent" });
  });

  test("without a journal is sent only while the server keeps its key, and never by another program", async ({
    expect,
  }) => {
    const missing = { foundParts: 1, missingSince: NOW };
    const lost = { lastCommittedAt: NOW };
    expect(await verify([], lost, missing)).toMatchObject({ state: "more", prepareFirst: true });
    expect(await verify([], { ...lost, now: NOW + HOUR }, missing)).toMatchObject({ state: "cannot_tell" });
    const account = mastodonAccount({ capabilities: { software: "other" } });
    expect(await verify([], { ...lost, account }, missing)).toMatchObject({ state: "cannot_tell" });
    const beside = status({ id: "9", in_reply_to_id: ROOT.id, media_attachments: [{ id: "1", type: "image" }] });
    expect(await verify([beside], lost, missing)).toMatchObject({ state: "cannot_tell" });
  });
});

test("the content warning counts in every part", ({ expect }) => {
  const warned = { ...options, spoiler_text: "Glaze" };
  const result = mastodon.validate(validationInput({ caption: "One", options: warned }));
  expect(result).toMatchObject({ captionLength: 8, partLengths: [8, 10], problems: [] });
  const empty = mastodon.validate(
    validationInput({ caption: "One", options: { spoiler_text: "Glaze", thread: [{ caption: "" }] } }),
  );
  expect(empty.problems).toEqual([]);
});
