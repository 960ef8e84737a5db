import { describe, test } from "vitest";
import type { Job } from "#platforms/contract.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { accountAccess, NOW } from "../../support/adapter-inputs.ts";
import {
  MB,
  PUBLISH_ID,
  success,
  apiError,
  publishStatus,
  videoJob,
  photoJob,
  commitRef,
  photoCommitRef,
  OPTIONS,
} from "./fixture.ts";

describe("verify by publish id", () => {
  const acceptedRef = commitRef({ sendCount: 1, sentAt: NOW, accepted: true });
  const unconfirmedRef = commitRef({ sendCount: 1, sentAt: NOW });
  const jobAfter = (seconds: number, overrides: Partial<Job> = {}) =>
    videoJob(2 * MB, { committedAt: NOW, now: NOW + seconds * 1000, ...overrides });

  test("an id beyond 2^53 is not rounded", async ({ expect }) => {
    const text = `{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7516468492572199221]},"error":{"code":"ok","message":"","log_id":"1"}}`;
    const client = scriptedClient({ text });
    expect(await tiktok.verify(client, jobAfter(5), acceptedRef)).toEqual({
      state: "published",
      remoteId: "7516468492572199221",
      url: "https://www.tiktok.com/@ada_moves/video/7516468492572199221",
    });
    expect(`${client.requests[0]?.method} ${client.requests[0]?.url.href}`).toBe(
      "POST https://open.tiktokapis.com/v2/post/publish/status/fetch/",
    );
    expect(parseRequestBody(client.requests[0])).toEqual({ publish_id: PUBLISH_ID });
  });

  test("both spellings of the id member are read, and photos have their own URL", async ({ expect }) => {
    const done = publishStatus("PUBLISH_COMPLETE", { publicly_available_post_id: ["77"] });
    const post = photoJob({ committedAt: NOW, now: NOW + 5000 });
    expect(
      await tiktok.verify(scriptedClient(done), post, photoCommitRef({ publishId: "p", accepted: true })),
    ).toMatchObject({
      remoteId: "77",
      url: "https://www.tiktok.com/@ada_moves/photo/77",
    });
  });

  test.for<[string, object]>([
    ["an empty list", { publicaly_available_post_id: [] }],
    ["no list", {}],
    ["null", { publicaly_available_post_id: null }],
    ["an empty text", { publicaly_available_post_id: [""] }],
    ["null in the list", { publicaly_available_post_id: [null] }],
    ["an empty text instead of a list", { publicaly_available_post_id: "" }],
  ])(
    "posted without a public id (%s): asks for a minute, then the publish id is the id and the profile the URL",
    async ([, more], { expect }) => {
      const client = () => scriptedClient(publishStatus("PUBLISH_COMPLETE", more));
      const first = await tiktok.verify(client(), jobAfter(5), acceptedRef);
      const waiting = commitRef({ sendCount: 1, sentAt: NOW, accepted: true, completedAt: NOW + 5000 });
      expect(first).toEqual({ state: "again", afterSeconds: 10, isProcessing: true, ref: waiting });
      expect(await tiktok.verify(client(), jobAfter(64), waiting)).toEqual(first);
      expect(await tiktok.verify(client(), jobAfter(65), waiting)).toEqual({
        state: "published",
        remoteId: PUBLISH_ID,
        url: "https://www.tiktok.com/@ada_moves",
      });
    },
  );

  test("an id after members that are none is the id", async ({ expect }) => {
    const done = publishStatus("PUBLISH_COMPLETE", { publicaly_available_post_id: ["", null, 77] });
    expect(await tiktok.verify(scriptedClient(done), jobAfter(5), acceptedRef)).toMatchObject({ remoteId: "77" });
  });

  test("a private post gets no public id, so nothing is waited for", async ({ expect }) => {
    const options = { ...OPTIONS, privacy_status: "private" };
    const done = publishStatus("PUBLISH_COMPLETE", { publicaly_available_post_id: [""] });
    expect(await tiktok.verify(scriptedClient(done), jobAfter(5, { options }), acceptedRef)).toEqual({
      state: "published",
      remoteId: PUBLISH_ID,
      url: "https://www.tiktok.com/@ada_moves",
    });
  });

  test("without a user name there is no URL", async ({ expect }) => {
    const done = publishStatus("PUBLISH_COMPLETE", { publicaly_available_post_id: ["77"] });
    expect(
      await tiktok.verify(scriptedClient(done), jobAfter(5, { account: accountAccess() }), acceptedRef),
    ).toMatchObject({
      remoteId: "77",
      url: null,
    });
  });

  test("a draft is published when it is in the inbox", async ({ expect }) => {
    const post = jobAfter(5, { options: { ...OPTIONS, is_draft: true } });
    expect(await tiktok.verify(scriptedClient(publishStatus("SEND_TO_USER_INBOX")), post, acceptedRef)).toEqual({
      state: "published",
      remoteId: PUBLISH_ID,
      url: null,
    });
  });

  test.for<[seconds: number, wait: number]>([
    [1, 5],
    [20, 10],
    [60, 30],
    [300, 60],
    [899, 60],
    [901, 300],
  ])("after %i s of processing the next check is in %i s", async ([seconds, afterSeconds], { expect }) => {
    for (const status of ["PROCESSING_UPLOAD", "PROCESSING_DOWNLOAD"]) {
      expect(await tiktok.verify(scriptedClient(publishStatus(status)), jobAfter(seconds), acceptedRef)).toEqual({
        state: "again",
        afterSeconds,
        isProcessing: true,
      });
    }
  });

  test.for<[string, object]>([
    ["file_format_check_failed", { state: "refused", fault: { kind: "rejected", code: "media_invalid" } }],
    ["spam_risk", { state: "refused", fault: { kind: "rejected", code: "content_refused" } }],
    ["publish_cancelled", { state: "refused", fault: { code: "cancelled_at_platform" } }],
    ["internal", { state: "stale" }],
    ["photo_pull_failed", { state: "stale" }],
    ["spam_risk_too_many_posts", { state: "stale" }],
    ["auth_removed", { state: "stale" }],
  ])("failed with %s", async ([reason, outcome], { expect }) => {
    const failed = publishStatus("FAILED", { fail_reason: reason });
    expect(await tiktok.verify(scriptedClient(failed), jobAfter(5), acceptedRef)).toMatchObject(outcome);
  });

  test("a last chunk that is not counted may be sent again; a counted one is being processed", async ({ expect }) => {
    const counted = (uploaded: number | null) =>
      scriptedClient(publishStatus("PROCESSING_UPLOAD", { uploaded_bytes: uploaded }));
    expect(await tiktok.verify(counted(0), jobAfter(1), unconfirmedRef)).toEqual({
      state: "again",
      afterSeconds: 5,
      isProcessing: false,
    });
    expect(await tiktok.verify(counted(0), jobAfter(11), unconfirmedRef)).toEqual({ state: "absent" });
    expect(await tiktok.verify(counted(2 * MB), jobAfter(11), unconfirmedRef)).toMatchObject({
      state: "again",
      isProcessing: true,
    });
    expect(await tiktok.verify(counted(null), jobAfter(11), unconfirmedRef)).toMatchObject({
      state: "again",
      isProcessing: false,
    });
    const expired = commitRef({ sendCount: 2, sentAt: NOW, uploadExpired: true });
    expect(await tiktok.verify(counted(0), jobAfter(11), expired)).toMatchObject({ state: "stale" });
  });

  test.for<[string, ScriptedResponse]>([
    ["503", 503],
    ["a limit", apiError(429, "rate_limit_exceeded")],
    ["an unexpected body", success({})],
    ["a refusal", apiError(403, "something_new")],
  ])("%s is no proof of absence, and an accepted post still counts as processing", async ([, script], { expect }) => {
    expect(await tiktok.verify(scriptedClient(script), jobAfter(5), acceptedRef)).toMatchObject({
      state: "again",
      isProcessing: true,
    });
    expect(await tiktok.verify(scriptedClient(script), jobAfter(5), unconfirmedRef)).toMatchObject({
      state: "again",
      isProcessing: false,
    });
  });

  test("a status that cannot be read does not slow the checks of an accepted post down", async ({ expect }) => {
    for (const [seconds, afterSeconds] of [
      [20, 10],
      [240, 60],
      [901, 300],
    ] as const) {
      expect(await tiktok.verify(scriptedClient(503), jobAfter(seconds), acceptedRef)).toEqual({
        state: "again",
        afterSeconds,
        isProcessing: true,
      });
    }
  });

  test("an invalid login is refused, and an unknown publish id cannot be verified", async ({ expect }) => {
    expect(
      await tiktok.verify(scriptedClient(apiError(401, "access_token_invalid")), jobAfter(5), acceptedRef),
    ).toMatchObject({
      state: "refused",
      fault: { kind: "reconnect" },
    });
    expect(
      await tiktok.verify(scriptedClient(apiError(400, "invalid_publish_id")), jobAfter(5), acceptedRef),
    ).toMatchObject({
      state: "cannot_tell",
    });
  });
});

describe("verify photos whose response was lost", () => {
  const lostRef = photoCommitRef({ sendCount: 1, sentAt: NOW });
  const jobAfter = (seconds: number, overrides: Partial<Job> = {}) =>
    photoJob({ committedAt: NOW, now: NOW + seconds * 1000, ...overrides });
  const since = NOW / 1000;
  const listed = (...videos: object[]): ScriptedResponse => success({ videos, cursor: 1, has_more: false });
  const matchingPost = {
    id: "77",
    title: "Release notes are out",
    create_time: since + 3,
    share_url: "https://www.tiktok.com/@a/photo/77",
  };

  test("waits until TikTok lists them", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await tiktok.verify(client, jobAfter(1), lostRef)).toEqual({
      state: "again",
      afterSeconds: 14,
      isProcessing: false,
    });
    expect(client.requests).toHaveLength(0);
  });

  test("finds them by text and time", async ({ expect }) => {
    const client = scriptedClient(
      listed(
        { ...matchingPost, id: "1", title: "Something else" },
        { ...matchingPost, id: "2", create_time: since - 60 },
        { ...matchingPost, id: "3", title: null, video_description: "  Release notes\nare out " },
      ),
    );
    expect(await tiktok.verify(client, jobAfter(15), lostRef)).toEqual({
      state: "published",
      remoteId: "3",
      url: matchingPost.share_url,
    });
    expect(client.requests[0]?.url.href).toBe(
      "https://open.tiktokapis.com/v2/video/list/?fields=id,title,video_description,create_time,share_url",
    );
    expect(parseRequestBody(client.requests[0])).toEqual({ max_count: 20 });
  });

  test("compares texts that TikTok truncated at 150 characters", async ({ expect }) => {
    const caption = "word ".repeat(60).trim();
    const truncated = { ...matchingPost, title: caption.slice(0, 150) };
    expect(await tiktok.verify(scriptedClient(listed(truncated)), jobAfter(15, { caption }), lostRef)).toMatchObject({
      state: "published",
    });
    const shorter = { ...matchingPost, title: "word word" };
    expect(await tiktok.verify(scriptedClient(listed(shorter)), jobAfter(15, { caption }), lostRef)).toMatchObject({
      state: "again",
    });
  });

  test("checks three times in ten minutes and never reports the photos as absent", async ({ expect }) => {
    expect(await tiktok.verify(scriptedClient(listed()), jobAfter(15), lostRef)).toEqual({
      state: "again",
      afterSeconds: 60,
      isProcessing: false,
    });
    expect(await tiktok.verify(scriptedClient(listed()), jobAfter(75), lostRef)).toEqual({
      state: "again",
      afterSeconds: 525,
      isProcessing: false,
    });
    expect(await tiktok.verify(scriptedClient(listed()), jobAfter(600), lostRef)).toMatchObject({
      state: "cannot_tell",
    });
    expect(await tiktok.verify(scriptedClient(503), jobAfter(600), lostRef)).toMatchObject({ state: "cannot_tell" });
    expect(
      await tiktok.verify(scriptedClient(listed(matchingPost, { ...matchingPost, id: "78" })), jobAfter(15), lostRef),
    ).toMatchObject({
      state: "cannot_tell",
    });
  });

  test.for<[string, Partial<Job>, object]>([
    ["private ones", { options: { ...OPTIONS, privacy_status: "private" } }, {}],
    ["those for friends", { options: { ...OPTIONS, privacy_status: "friends" } }, {}],
    ["drafts", { options: { ...OPTIONS, is_draft: true } }, { postSettings: null }],
    ["ones without a text", { caption: "" }, {}],
  ])("%s are listed nowhere", async ([, overrides, refOverrides], { expect }) => {
    const client = scriptedClient(500);
    const commitRef = photoCommitRef({ sendCount: 1, sentAt: NOW, ...refOverrides });
    expect(await tiktok.verify(client, jobAfter(15, overrides), commitRef)).toMatchObject({ state: "cannot_tell" });
    expect(client.requests).toHaveLength(0);
  });

  test("without the scope to list posts nothing can be found", async ({ expect }) => {
    const client = scriptedClient(500);
    const account = accountAccess({ capabilities: { mayList: false } });
    for (const ref of [lostRef, null]) {
      expect(await tiktok.verify(client, jobAfter(1, { account }), ref)).toMatchObject({ state: "cannot_tell" });
    }
    expect(client.requests).toHaveLength(0);
    expect(
      await tiktok.verify(scriptedClient(apiError(401, "scope_not_authorized")), jobAfter(15), lostRef),
    ).toMatchObject({
      state: "cannot_tell",
    });
    expect(
      await tiktok.verify(scriptedClient(apiError(401, "access_token_invalid")), jobAfter(15), lostRef),
    ).toMatchObject({
      state: "refused",
      fault: { kind: "reconnect" },
    });
  });
});
