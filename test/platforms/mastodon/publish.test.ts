import { describe, test } from "vitest";
import { MINUTE, SECOND } from "#core/clock.ts";
import type { JsonValue } from "#core/json.ts";
import type { CommitRef } from "#platforms/mastodon/refs.ts";
import { mastodon } from "#platforms/mastodon/index.ts";
import { captureBodies } from "../../support/capture-adapter-bodies.ts";
import { image, type JobOverrides, NOW, video } from "../../support/adapter-inputs.ts";
import { parseRequestBody, type ScriptedResponse, scriptedClient } from "../../support/scripted-http-client.ts";
import { mastodonAccount, mastodonJob, PROFILE, status } from "./fixture.ts";

const callsOf = (client: ReturnType<typeof scriptedClient>) =>
  client.requests.map(({ method, url }) => `${method} ${url.pathname}`);

const ref = (overrides: Partial<CommitRef> = {}): JsonValue => ({
  mediaIds: [],
  sendCount: 0,
  sentAt: null,
  createdId: null,
  refusal: null,
  ...overrides,
});

describe("preparing", () => {
  test("a text needs no call", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await mastodon.prepare(client, mastodonJob(), undefined)).toEqual({ state: "ready", ref: ref() });
    expect(client.requests).toEqual([]);
  });

  test("uploads one file per step, with its description and its length", async ({ expect }) => {
    const client = captureBodies(scriptedClient({ json: { id: "11", url: "https://f/1" } }, { json: { id: "12" } }));
    const job = mastodonJob({
      media: [image(), image()],
      options: { visibility: "public", alt_texts: ["", "Zwei Schüsseln"] },
    });
    const first = await mastodon.prepare(client, job, undefined);
    const cursor = { uploads: [{ id: "11", isReady: true }], startedAt: NOW, processingSince: NOW, restartCount: 0 };
    expect(first).toEqual({ state: "again", afterSeconds: 0, cursor });
    expect(await mastodon.prepare(client, job, cursor)).toEqual({
      state: "ready",
      ref: ref({ mediaIds: ["11", "12"] }),
      expiresAt: NOW + 20 * 60 * MINUTE,
    });
    expect(callsOf(client)).toEqual(["POST /api/v2/media", "POST /api/v2/media"]);
    const texts = client.bodies.map((body) => new TextDecoder().decode(body));
    expect(texts[0]).not.toContain('name="description"');
    expect(texts[1]).toContain('name="description"\r\n\r\nZwei Schüsseln\r\n');
    expect(texts[1]).toContain('name="file"; filename="picture.jpg"\r\nContent-Type: image/jpeg\r\n');
    for (const [index, { headers }] of client.requests.entries()) {
      expect(headers.get("content-length")).toBe(String(client.bodies[index]?.byteLength));
    }
  });

  const processing = { uploads: [{ id: "11", isReady: false }], startedAt: NOW, processingSince: NOW, restartCount: 0 };
  const videoJob = (overrides: JobOverrides = {}) => mastodonJob({ media: [video()], ...overrides });
  const poll = (response: ScriptedResponse, overrides: JobOverrides = {}, cursor: JsonValue = processing) =>
    mastodon.prepare(captureBodies(scriptedClient(response)), videoJob(overrides), cursor);

  test("waits for a file that is still processed", async ({ expect }) => {
    const accepted = { status: 202, json: { id: "11", url: null } };
    const uploaded = await mastodon.prepare(captureBodies(scriptedClient(accepted)), videoJob(), undefined);
    expect(uploaded).toEqual({ state: "again", afterSeconds: 3, cursor: processing });
    const partial = { status: 206, json: { id: "11", url: null } };
    expect(await poll(partial)).toEqual({ state: "again", afterSeconds: 3, cursor: processing });
    expect(await poll(partial, { now: NOW + MINUTE })).toMatchObject({ state: "again", afterSeconds: 20 });
    expect(await poll(partial, { now: NOW + 31 * MINUTE })).toMatchObject({
      state: "refused",
      fault: { kind: "rejected", code: "processing_failed" },
    });
    expect(await poll({ json: { id: "11", url: "https://f/1" } })).toMatchObject({
      state: "ready",
      ref: { mediaIds: ["11"] },
    });
  });

  test("a file that failed is refused for good", async ({ expect }) => {
    const failed = { status: 422, json: { error: "Error processing thumbnail for uploaded media" } };
    expect(await poll(failed)).toMatchObject({ state: "refused", fault: { kind: "rejected", code: "media_invalid" } });
  });

  test("a file that the server lost is uploaded again, twice", async ({ expect }) => {
    const restarted = { uploads: [], startedAt: NOW, processingSince: NOW, restartCount: 1 };
    expect(await poll(404)).toEqual({ state: "again", afterSeconds: 1, cursor: restarted });
    expect(await poll(404, {}, { ...processing, restartCount: 2 })).toMatchObject({
      state: "refused",
      fault: { code: "processing_failed" },
    });
  });

  test("other programs answer 202 for files that are ready", async ({ expect }) => {
    const client = captureBodies(scriptedClient({ status: 202, json: { id: "11", url: "https://f/1" } }));
    const account = mastodonAccount({ capabilities: { software: "other" } });
    expect(await mastodon.prepare(client, videoJob({ account }), undefined)).toMatchObject({ state: "ready" });
  });

  test("a broken connection is a temporary fault", async ({ expect }) => {
    expect(await mastodon.prepare(scriptedClient("connection_lost"), videoJob(), undefined)).toMatchObject({
      state: "refused",
      fault: { kind: "temporary" },
    });
  });
});

describe("committing", () => {
  const commit = async (script: readonly ScriptedResponse[], overrides: JobOverrides = {}, from: JsonValue = ref()) => {
    const client = scriptedClient(...script);
    return { client, outcome: await mastodon.commit(client, mastodonJob({ committedAt: NOW, ...overrides }), from) };
  };

  test("sends the post once and reads it once", async ({ expect }) => {
    const { client, outcome } = await commit(
      [{ json: status() }, { json: status() }],
      {
        options: { visibility: "unlisted", spoiler_text: "careful", sensitive: true, language: "de", alt_texts: [] },
      },
      ref({ mediaIds: ["11", "12"] }),
    );
    expect(outcome).toEqual({ state: "published", remoteId: "115000000000000001", url: status().url });
    expect(callsOf(client)).toEqual(["POST /api/v1/statuses", "GET /api/v1/statuses/115000000000000001"]);
    expect(parseRequestBody(client.requests[0])).toEqual({
      status: "Release notes are out",
      visibility: "unlisted",
      spoiler_text: "careful",
      sensitive: true,
      language: "de",
      media_ids: ["11", "12"],
    });
  });

  test("always says who may see the post, and leaves out what the account decides", async ({ expect }) => {
    const { client } = await commit([{ json: status() }], { options: {} });
    expect(parseRequestBody(client.requests[0])).toEqual({ status: "Release notes are out", visibility: "public" });
  });

  test("has one key for a post and an account, in every run", async ({ expect }) => {
    const keyOf = async (overrides: JobOverrides) =>
      (await commit([500], overrides)).client.requests[0]?.headers.get("idempotency-key");
    const key = await keyOf({});
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await keyOf({ caption: "changed", now: NOW + MINUTE })).toBe(key);
    expect(await keyOf({ postId: "another" })).not.toBe(key);
    expect(await keyOf({ accountId: "another" })).not.toBe(key);
    const account = mastodonAccount({ capabilities: { software: "other" } });
    expect(await keyOf({ account })).not.toBe(await keyOf({ account }));
  });

  test("a post that the server does not show is uncertain, under its id", async ({ expect }) => {
    const { outcome } = await commit([{ json: status() }, { status: 404, json: { error: "Record not found" } }]);
    expect(outcome).toMatchObject({ state: "uncertain", ref: { createdId: "115000000000000001" } });
  });

  test.for([500, 503, "connection_lost"] as const)(
    "%s after the answer changes nothing",
    async (second, { expect }) => {
      expect((await commit([{ json: status() }, second])).outcome).toMatchObject({ state: "published" });
    },
  );

  test.for([401, 403, 410, 429])("%i is a refusal", async (code, { expect }) => {
    const { outcome } = await commit([{ status: code, json: { error: "no" } }]);
    expect(outcome.state).toBe("refused");
  });

  test.for([400, 404, 409, 422])("%i counts only after a look", async (code, { expect }) => {
    const { outcome } = await commit([{ status: code, json: { error: "Duplicate record" } }]);
    expect(outcome).toMatchObject({
      state: "uncertain",
      httpStatus: code,
      ref: {
        sendCount: 1,
        sentAt: NOW,
        refusal: { status: code, message: "The server refused the post: Duplicate record" },
      },
    });
  });

  test.for([408, 500, 502, 503, 504])("%i is uncertain", async (code, { expect }) => {
    expect((await commit([code])).outcome).toMatchObject({ state: "uncertain", ref: { refusal: null, sentAt: NOW } });
  });
});

describe("verifying", () => {
  const SENT = ref({ sendCount: 1, sentAt: NOW });
  const PUBLISHED = { state: "published", remoteId: "115000000000000001", url: status().url };
  const LIST = "GET /api/v1/accounts/109348684423156921/statuses";
  const CREDENTIALS = "GET /api/v1/accounts/verify_credentials";

  /** What the server answers to each kind of look-up; the list has one page. */
  interface Answers {
    readonly list?: readonly unknown[];
    readonly source?: ScriptedResponse;
    readonly credentials?: ScriptedResponse;
    readonly media?: ScriptedResponse;
    readonly status?: ScriptedResponse;
  }

  const source = (text: string, spoilerText = ""): ScriptedResponse => ({
    json: { id: "1", text, spoiler_text: spoilerText },
  });

  async function verify(answers: Answers, elapsedMs: number, overrides: JobOverrides = {}, from: JsonValue = SENT) {
    const client = scriptedClient(({ url }) => {
      if (url.pathname.endsWith("/statuses")) {
        return { json: url.searchParams.has("max_id") ? [] : (answers.list ?? []) };
      }
      if (url.pathname.endsWith("/source")) {
        return answers.source ?? source("Release notes are out");
      }
      if (url.pathname.endsWith("/verify_credentials")) {
        return answers.credentials ?? { json: PROFILE };
      }
      return (url.pathname.startsWith("/api/v1/media/") ? answers.media : answers.status) ?? 500;
    });
    const job = mastodonJob({ committedAt: NOW, now: NOW + elapsedMs, ...overrides });
    return { client, outcome: await mastodon.verify(client, job, from) };
  }

  test("looks after ten seconds, by the text's source", async ({ expect }) => {
    const early = await verify({ list: [status()] }, 4 * SECOND);
    expect(early.outcome).toEqual({ state: "again", afterSeconds: 6, isProcessing: false });
    expect(early.client.requests).toEqual([]);
    const { client, outcome } = await verify({ list: [status()] }, 10 * SECOND);
    expect(outcome).toEqual(PUBLISHED);
    expect(callsOf(client)).toEqual([LIST, LIST, "GET /api/v1/statuses/115000000000000001/source"]);
    expect(client.requests.map(({ url }) => url.search)).toEqual([
      "?limit=40&exclude_reblogs=true",
      "?limit=40&exclude_reblogs=true&max_id=115000000000000001",
      "",
    ]);
  });

  test("reads no further than to the first call", async ({ expect }) => {
    const list = [status(), status({ id: "9", created_at: "2030-01-01T11:50:00.000Z" })];
    const { client, outcome } = await verify({ list }, MINUTE);
    expect(outcome).toEqual(PUBLISHED);
    expect(callsOf(client)).toEqual([LIST, "GET /api/v1/statuses/115000000000000001/source"]);
  });

  test("recognizes media by their ids", async ({ expect }) => {
    const from = ref({ mediaIds: ["11", "12"], sendCount: 1, sentAt: NOW });
    const mine = status({ media_attachments: [{ id: "11" }, { id: "12" }] });
    const other = status({ id: "9", media_attachments: [{ id: "13" }] });
    const { outcome } = await verify({ list: [other, mine] }, MINUTE, { media: [image(), image()] }, from);
    expect(outcome).toEqual(PUBLISHED);
    const absent = await verify({ list: [other] }, 3 * MINUTE, { media: [image(), image()] }, from);
    expect(absent.outcome).toEqual({ state: "absent" });
  });

  test.for<[string, Answers]>([
    ["of another app", { list: [status({ application: { name: "Web" } })] }],
    ["with media", { list: [status({ media_attachments: [{ id: "1" }] })] }],
    ["from before", { list: [status({ created_at: "2030-01-01T11:57:59.000Z" })] }],
    ["with another text", { list: [status()], source: source("Release notes") }],
    ["with a content warning", { list: [status()], source: source("Release notes are out", "careful") }],
    ["that is deleted meanwhile", { list: [status()], source: 404 }],
  ])("a post %s is not ours", async ([, answers], { expect }) => {
    expect((await verify(answers, 3 * MINUTE)).outcome).toEqual({ state: "absent" });
  });

  test("two posts with the same text cannot be told apart", async ({ expect }) => {
    const { outcome } = await verify({ list: [status(), status({ id: "9" })] }, MINUTE);
    expect(outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("without a text, the content warning is the text", async ({ expect }) => {
    const overrides = { caption: "", options: { visibility: "public", spoiler_text: "careful" } };
    const { outcome } = await verify({ list: [status()], source: source("careful") }, MINUTE, overrides);
    expect(outcome).toEqual(PUBLISHED);
  });

  test("an absence is believed after three minutes, with a login that works, and for fifty minutes", async ({
    expect,
  }) => {
    expect((await verify({}, 2 * MINUTE)).outcome).toEqual({ state: "again", afterSeconds: 60, isProcessing: false });
    const { client, outcome } = await verify({}, 3 * MINUTE);
    expect(outcome).toEqual({ state: "absent" });
    expect(callsOf(client)).toEqual([LIST, CREDENTIALS]);
    expect((await verify({}, 50 * MINUTE)).outcome).toEqual({ state: "absent" });
    expect((await verify({}, 50 * MINUTE + 1)).outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("a repeated call waits for three minutes again", async ({ expect }) => {
    const repeated = ref({ sendCount: 2, sentAt: NOW + 4 * MINUTE });
    expect((await verify({}, 5 * MINUTE, {}, repeated)).outcome).toMatchObject({ state: "again", afterSeconds: 120 });
  });

  test("a list that a stranger would get proves nothing", async ({ expect }) => {
    const invalid = { status: 401, json: { error: "The access token is invalid" } };
    expect((await verify({ credentials: invalid }, 3 * MINUTE)).outcome).toMatchObject({
      state: "refused",
      fault: { kind: "reconnect" },
    });
    expect((await verify({ credentials: 503 }, 3 * MINUTE)).outcome).toMatchObject({ state: "again" });
    const another = { json: { ...PROFILE, id: "5" } };
    expect((await verify({ credentials: another }, 3 * MINUTE)).outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("an incomplete list proves nothing", async ({ expect }) => {
    const client = scriptedClient({ json: [status({ application: { name: "Web" } })] });
    const job = mastodonJob({ committedAt: NOW, now: NOW + 3 * MINUTE });
    expect(await mastodon.verify(client, job, SENT)).toMatchObject({ state: "again" });
    expect(client.requests).toHaveLength(5);
  });

  test("other programs get no second call", async ({ expect }) => {
    const account = mastodonAccount({ capabilities: { software: "other" } });
    expect((await verify({}, 3 * MINUTE, { account })).outcome).toMatchObject({ state: "cannot_tell" });
  });

  const refused = (code: number, overrides: Partial<CommitRef> = {}) =>
    ref({
      sendCount: 1,
      sentAt: NOW,
      refusal: { status: code, message: "The server refused the post: no" },
      ...overrides,
    });

  test("a refusal counts once the post is not found", async ({ expect }) => {
    expect((await verify({}, 5 * SECOND, {}, refused(422))).outcome).toMatchObject({
      state: "refused",
      fault: {
        kind: "rejected",
        code: "content_refused",
        httpStatus: 422,
        message: "The server refused the post: no",
      },
    });
  });

  test("a refusal of a post that is there does not count", async ({ expect }) => {
    expect((await verify({ list: [status()] }, 5 * SECOND, {}, refused(422))).outcome).toEqual(PUBLISHED);
  });

  test.for([404, 206])("media that answers %i is uploaded again", async (code, { expect }) => {
    const media = { status: code, json: { id: "11" } };
    const from = refused(422, { mediaIds: ["11"] });
    expect((await verify({ media }, 5 * SECOND, { media: [image()] }, from)).outcome).toMatchObject({ state: "stale" });
  });

  test("a repeated call that is not found was deleted at the server", async ({ expect }) => {
    const from = refused(404, { sendCount: 2, sentAt: NOW + 3 * MINUTE });
    expect((await verify({}, 4 * MINUTE, {}, from)).outcome).toMatchObject({ state: "cannot_tell" });
  });

  test("a post that the server answered and does not show is not sent again", async ({ expect }) => {
    const from = ref({ sendCount: 1, sentAt: NOW, createdId: "115000000000000001" });
    const shown = await verify({ status: { json: status() } }, 20 * SECOND, {}, from);
    expect(shown.outcome).toEqual(PUBLISHED);
    const hidden = { status: 404 };
    expect((await verify(hidden, 20 * SECOND, {}, from)).outcome).toMatchObject({ state: "again", afterSeconds: 40 });
    expect((await verify(hidden, MINUTE, {}, from)).outcome).toMatchObject({ state: "cannot_tell" });
  });
});

test("an account without its server is a broken expectation", async ({ expect }) => {
  const account = mastodonAccount({ extra: {} });
  await expect(mastodon.commit(scriptedClient(200), mastodonJob({ account }), ref())).rejects.toThrow("server");
});
