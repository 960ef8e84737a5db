import { describe, test, vi } from "vitest";
import type { AccountAccess, Job } from "#platforms/contract.ts";
import { FORCE_SSL_SCOPE } from "#platforms/youtube/limits.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { accountAccess, job, NOW, validationInput, video } from "../../support/adapter-inputs.ts";
import {
  injectFault,
  logIn,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
} from "../../support/drive-simulator.ts";
import { LOST_ANSWERS, loseAnswer, useQuotaFreeClock } from "../../support/lost-answers.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { apiError, extrasProgress, toJson } from "./fixture.ts";

/* The first comment below a video, which is sent once the video is public. */

const PATH = "/youtube/v3/commentThreads";
const EXTRA_SCOPES = { EXTRA_SCOPES: FORCE_SSL_SCOPE };

describe("against the simulator", () => {
  useQuotaFreeClock("2034-03-01T09:00:00Z");

  const publish = async (account: AccountAccess, text: string) => {
    const media = [await sampleMedia("portrait.mp4", { width: 540, height: 960, durationSeconds: 3 })];
    const options = { title: "Glaze", first_comment: text };
    const result = await publishUntilSettled(youtube, account, { caption: text, media, options });
    vi.setSystemTime(Date.now() + 600_000);
    const id = "remoteId" in result ? result.remoteId : "";
    const read = async (state: string) =>
      await simulatedClient(youtube)
        .fetch(`https://www.googleapis.com${PATH}?part=snippet&videoId=${id}&moderationStatus=${state}`, {
          headers: { authorization: `Bearer ${account.accessToken}` },
        })
        .then(({ text }) => JSON.parse(text ?? "") as { items: { id: string }[] });
    const [shown, held] = await Promise.all([read("published"), read("heldForReview")]);
    return { result, comments: [...shown.items, ...held.items] };
  };
  const ada = async () => (await logIn(youtube, "ada", EXTRA_SCOPES)).accounts[0]!;

  test.for(LOST_ANSWERS)("is there once after %s", async (effect, { expect }) => {
    await loseAnswer(youtube, PATH, effect);
    const { result, comments } = await publish(await ada(), `Thanks, ${effect}`);
    expect(comments).toHaveLength(1);
    expect(result, result.steps.join(" ")).toMatchObject({
      state: "published",
      extras: {
        first_comment: {
          status: "published",
          id: comments[0]?.id,
          url: expect.stringContaining("&lc="),
          fault: null,
        },
      },
    });
  });

  test("that waits for a moderator is found, and not sent again", async ({ expect }) => {
    await injectFault(youtube, { match: { method: "POST", path: PATH }, times: 1, effect: "drop_after" });
    const { result, comments } = await publish(await ada(), "Thanks #sim-held");
    expect(comments).toHaveLength(1);
    expect(result).toMatchObject({ extras: { first_comment: { status: "published", id: comments[0]?.id } } });
  });

  test("that the login has no right to is a failed extra of a published post", async ({ expect }) => {
    const account = (await logIn(youtube, "ada", { EXTRA_SCOPES: "" })).accounts[0]!;
    const media = [await sampleMedia("portrait.mp4", { width: 540, height: 960, durationSeconds: 3 })];
    const options = { title: "Glaze", first_comment: "Thanks" };
    const result = await publishUntilSettled(youtube, account, { caption: "No right", media, options });
    expect(result).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "failed", fault: { kind: "rejected", code: "missing_scope" } } },
    });
  });
});

describe("the calls", () => {
  const commentedJob = (overrides: Partial<Job> = {}): Job =>
    job({
      options: { title: "Glaze", made_for_kids: false, first_comment: "Thanks for  watching" },
      account: accountAccess({ platformAccountId: "UCa", capabilities: {} }),
      media: [video({})],
      ...overrides,
    });
  const progress = (changes: object = {}) => extrasProgress(["first_comment"], changes);
  const REF = { extras: true, missingSince: null };
  const thread = (text: string, channel = "UCa") => ({
    id: `c-${text}`,
    snippet: { topLevelComment: { snippet: { textDisplay: text, authorChannelId: { value: channel } } } },
  });
  const list = (...items: object[]): ScriptedResponse => ({ json: { items } });
  const lost = { lastCommittedAt: NOW - 20_000, committedAt: NOW - 20_000, progress: progress() };

  test("the comment names channel, video and text", async ({ expect }) => {
    const client = scriptedClient({ json: thread("Thanks") });
    expect(await youtube.commit(client, commentedJob({ progress: progress() }), toJson(REF))).toMatchObject({
      state: "published",
      publishedAt: NOW - 5000,
      extras: { first_comment: { status: "published", id: "c-Thanks", fault: null } },
    });
    expect(client.requests[0]?.method).toBe("POST");
    expect(client.requests[0]?.url.search).toBe("?part=snippet");
    expect(client.requests[0]?.body).toEqual(
      JSON.stringify({
        snippet: {
          channelId: "UCa",
          videoId: "dQw4example",
          topLevelComment: { snippet: { textOriginal: "Thanks for  watching" } },
        },
      }),
    );
  });

  test.for<[string, ScriptedResponse, object]>([
    ["a server error is uncertain", apiError(503, "backendError"), { state: "uncertain", ref: REF }],
    ["an answer that is none is uncertain", { json: {} }, { state: "uncertain", ref: REF }],
    ["a lost answer is uncertain", "connection_lost", { state: "uncertain", ref: REF }],
    [
      "a refusal is told",
      apiError(403, "forbidden"),
      { state: "published", extras: { first_comment: { status: "failed", fault: { code: "not_permitted" } } } },
    ],
    ["a rate limit is waited for", apiError(429, "rateLimitExceeded"), { state: "more", afterSeconds: 5 }],
    [
      "a quota that is used up until tomorrow is not",
      apiError(403, "quotaExceeded"),
      { state: "published", extras: { first_comment: { status: "failed", fault: { code: "quota_exceeded" } } } },
    ],
  ])("%s", async ([, answer, outcome], { expect }) => {
    const client = scriptedClient(answer);
    expect(await youtube.commit(client, commentedJob({ progress: progress() }), toJson(REF))).toMatchObject(outcome);
    expect(client.requests).toHaveLength(1);
  });

  test("a comment of somebody else with the same text is another", async ({ expect }) => {
    const client = scriptedClient(list(thread("Thanks for watching", "UCb")), list(), list());
    expect(await youtube.verify(client, commentedJob(lost), toJson(REF))).toEqual({
      state: "again",
      afterSeconds: 60,
      isProcessing: false,
      ref: { extras: true, missingSince: NOW },
    });
  });

  test("is sent again only after two whole lists that lack it, read a minute apart", async ({ expect }) => {
    const empty = () => scriptedClient(list(), list(), list());
    const missing = (missingSince: number) => toJson({ extras: true, missingSince });
    const verify = (ref: ReturnType<typeof missing>, client = empty()) =>
      youtube.verify(client, commentedJob({ ...lost, lastCommittedAt: NOW - 90_000 }), ref);
    const early = scriptedClient();
    expect(await youtube.verify(early, commentedJob({ ...lost, lastCommittedAt: NOW - 5000 }), toJson(REF))).toEqual({
      state: "again",
      afterSeconds: 10,
      isProcessing: false,
    });
    expect(early.requests).toHaveLength(0);
    expect(await verify(toJson(REF))).toMatchObject({ state: "again", afterSeconds: 60 });
    expect(await verify(missing(NOW - 59_000))).toMatchObject({ state: "again", afterSeconds: 1 });
    expect(await verify(missing(NOW - 60_000))).toMatchObject({
      state: "more",
      afterSeconds: 5,
      progress: { extras: { tries: 1 } },
    });
    // A list that was read before the last call says nothing about it.
    expect(await verify(missing(NOW - 91_000))).toMatchObject({ state: "again", ref: { missingSince: NOW } });
    expect(
      await verify(missing(NOW - 60_000), scriptedClient(list(), list(), list(thread("Thanks for watching")))),
    ).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "published" } },
    });
  });

  test("a list that cannot be read leads nowhere near a second call", async ({ expect }) => {
    const verify = (...answers: ScriptedResponse[]) =>
      youtube.verify(scriptedClient(...answers), commentedJob(lost), toJson({ extras: true, missingSince: NOW - 100 }));
    expect(await verify(apiError(503, "backendError"))).toMatchObject({ state: "again" });
    expect(await verify({ json: { items: "?" } })).toMatchObject({ state: "again" });
    expect(await verify(apiError(401, "authError"))).toMatchObject({ state: "refused", fault: { kind: "reconnect" } });
    expect(await verify(list(), apiError(403, "commentsDisabled"))).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "unconfirmed", fault: { code: "outcome_unknown" } } },
    });
    const pages = Array.from({ length: 5 }, (): ScriptedResponse => ({ json: { items: [], nextPageToken: "next" } }));
    expect(await verify(...pages)).toMatchObject({ extras: { first_comment: { status: "unconfirmed" } } });
  });

  test("where the journal was lost each comment is looked for before it is sent", async ({ expect }) => {
    const found = await youtube.verify(
      scriptedClient(list(thread("Thanks for watching")), list(), list()),
      commentedJob(lost),
      null,
    );
    expect(found).toMatchObject({ state: "published", extras: { first_comment: { status: "published" } } });
    const client = scriptedClient();
    const unknown = commentedJob({ progress: progress({ looksFirst: true }) });
    expect(await youtube.commit(client, unknown, toJson(REF))).toMatchObject({ state: "uncertain", ref: REF });
    expect(client.requests).toHaveLength(0);
  });
});

test("is refused where YouTube takes no comments, and without its right", ({ expect }) => {
  const validate = (options: object) =>
    youtube.validate(
      validationInput({ options: { title: "Glaze", first_comment: "Thanks", ...options }, media: [video({})] }),
    );
  expect(validate({}).problems).toEqual([]);
  for (const off of [{ made_for_kids: true }, { privacy_status: "private" }]) {
    expect(validate(off).problems).toMatchObject([
      { code: "option_conflict", param: "platform_options.first_comment" },
    ]);
  }
  expect(validate({ first_comment: " " }).problems).toMatchObject([{ code: "option_invalid" }]);
  expect(youtube.optionScopes()).toEqual({ first_comment: [FORCE_SSL_SCOPE], playlist_ids: [FORCE_SSL_SCOPE] });
});
