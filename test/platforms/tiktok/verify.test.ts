import { describe, test } from "vitest";
import type { Job } from "#platforms/contract.ts";
import { tiktok } from "#platforms/tiktok/index.ts";
import { scriptedClient, parseRequestBody, type ScriptedResponse } from "../../support/scripted-client.ts";
import { accountAccess, NOW } from "../../support/job-fixtures.ts";
import { MB, PUBLISH_ID, success, apiError, publishStatus, videoJob, photoJob, commitRef, photoCommitRef, OPTIONS } from "./fixture.ts";

describe("verify by the handle", () => {
  const accepted = commitRef({ sendCount: 1, sentAt: NOW, accepted: true });
  const doubted = commitRef({ sendCount: 1, sentAt: NOW });
  const at = (seconds: number, overrides: Partial<Job> = {}) =>
    videoJob(2 * MB, { committedAt: NOW, now: NOW + seconds * 1000, ...overrides });

  test("an id beyond 2^53 stays what it was", async ({ expect }) => {
    const text = `{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[7516468492572199221]},"error":{"code":"ok","message":"","log_id":"1"}}`;
    const client = scriptedClient({ text });
    expect(await tiktok.verify(client, at(5), accepted)).toEqual({
      state: "published",
      remoteId: "7516468492572199221",
      url: "https://www.tiktok.com/@ada_moves/video/7516468492572199221",
    });
    expect(`${client.requests[0]?.method} ${client.requests[0]?.url.href}`).toBe(
      "POST https://open.tiktokapis.com/v2/post/publish/status/fetch/",
    );
    expect(parseRequestBody(client.requests[0])).toEqual({ publish_id: PUBLISH_ID });
  });

  test("the other spelling is read too, and photos have their own address", async ({ expect }) => {
    const done = publishStatus("PUBLISH_COMPLETE", { publicly_available_post_id: ["77"] });
    const post = photoJob({ committedAt: NOW, now: NOW + 5000 });
    expect(await tiktok.verify(scriptedClient(done), post, photoCommitRef({ publishId: "p", accepted: true }))).toMatchObject({
      remoteId: "77",
      url: "https://www.tiktok.com/@ada_moves/photo/77",
    });
  });

  test.for<[string, object]>([
    ["an empty list", { publicaly_available_post_id: [] }],
    ["no list", {}],
    ["null", { publicaly_available_post_id: null }],
  ])("posted without a public id (%s): known by its handle, shown by its profile", async ([, more], { expect }) => {
    expect(await tiktok.verify(scriptedClient(publishStatus("PUBLISH_COMPLETE", more)), at(5), accepted)).toEqual({
      state: "published",
      remoteId: PUBLISH_ID,
      url: "https://www.tiktok.com/@ada_moves",
    });
  });

  test("a name that is not known makes no address", async ({ expect }) => {
    const done = publishStatus("PUBLISH_COMPLETE", { publicaly_available_post_id: ["77"] });
    expect(await tiktok.verify(scriptedClient(done), at(5, { account: accountAccess() }), accepted)).toMatchObject({
      remoteId: "77",
      url: null,
    });
  });

  test("a draft is delivered when it is in the inbox", async ({ expect }) => {
    const post = at(5, { options: { ...OPTIONS, is_draft: true } });
    expect(await tiktok.verify(scriptedClient(publishStatus("SEND_TO_USER_INBOX")), post, accepted)).toEqual({
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
  ])("after %i s of processing it looks again in %i s", async ([seconds, afterSeconds], { expect }) => {
    for (const word of ["PROCESSING_UPLOAD", "PROCESSING_DOWNLOAD"]) {
      expect(await tiktok.verify(scriptedClient(publishStatus(word)), at(seconds), accepted)).toEqual({
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
    expect(await tiktok.verify(scriptedClient(failed), at(5), accepted)).toMatchObject(outcome);
  });

  test("a last piece that is not counted may be sent again; one that is, is waited for", async ({ expect }) => {
    const counted = (uploaded: number | null) => scriptedClient(publishStatus("PROCESSING_UPLOAD", { uploaded_bytes: uploaded }));
    expect(await tiktok.verify(counted(0), at(1), doubted)).toEqual({ state: "again", afterSeconds: 5, isProcessing: false });
    expect(await tiktok.verify(counted(0), at(11), doubted)).toEqual({ state: "absent" });
    expect(await tiktok.verify(counted(2 * MB), at(11), doubted)).toMatchObject({ state: "again", isProcessing: true });
    expect(await tiktok.verify(counted(null), at(11), doubted)).toMatchObject({ state: "again", isProcessing: false });
    const expired = commitRef({ sendCount: 2, sentAt: NOW, uploadExpired: true });
    expect(await tiktok.verify(counted(0), at(11), expired)).toMatchObject({ state: "stale" });
  });

  test.for<[string, ScriptedResponse]>([
    ["503", 503],
    ["a limit", apiError(429, "rate_limit_exceeded")],
    ["nonsense", success({})],
    ["a refusal", apiError(403, "something_new")],
  ])("%s proves nothing, and what was accepted is not doubted for it", async ([, script], { expect }) => {
    expect(await tiktok.verify(scriptedClient(script), at(5), accepted)).toMatchObject({ state: "again", isProcessing: true });
    expect(await tiktok.verify(scriptedClient(script), at(5), doubted)).toMatchObject({ state: "again", isProcessing: false });
  });

  test("a login that has ended and a handle that is unknown are told", async ({ expect }) => {
    expect(await tiktok.verify(scriptedClient(apiError(401, "access_token_invalid")), at(5), accepted)).toMatchObject({
      state: "refused",
      fault: { kind: "reconnect" },
    });
    expect(await tiktok.verify(scriptedClient(apiError(400, "invalid_publish_id")), at(5), accepted)).toMatchObject({
      state: "cannot_tell",
    });
  });
});

describe("verify photos whose answer was lost", () => {
  const lost = photoCommitRef({ sendCount: 1, sentAt: NOW });
  const at = (seconds: number, overrides: Partial<Job> = {}) =>
    photoJob({ committedAt: NOW, now: NOW + seconds * 1000, ...overrides });
  const since = NOW / 1000;
  const listed = (...videos: object[]): ScriptedResponse => success({ videos, cursor: 1, has_more: false });
  const mine = {
    id: "77",
    title: "Release notes are out",
    create_time: since + 3,
    share_url: "https://www.tiktok.com/@a/photo/77",
  };

  test("waits until TikTok can list them", async ({ expect }) => {
    const client = scriptedClient(500);
    expect(await tiktok.verify(client, at(1), lost)).toEqual({ state: "again", afterSeconds: 14, isProcessing: false });
    expect(client.requests).toHaveLength(0);
  });

  test("finds them by text and time", async ({ expect }) => {
    const client = scriptedClient(
      listed(
        { ...mine, id: "1", title: "Something else" },
        { ...mine, id: "2", create_time: since - 60 },
        { ...mine, id: "3", title: null, video_description: "  Release notes\nare out " },
      ),
    );
    expect(await tiktok.verify(client, at(15), lost)).toEqual({
      state: "published",
      remoteId: "3",
      url: mine.share_url,
    });
    expect(client.requests[0]?.url.href).toBe(
      "https://open.tiktokapis.com/v2/video/list/?fields=id,title,video_description,create_time,share_url",
    );
    expect(parseRequestBody(client.requests[0])).toEqual({ max_count: 20 });
  });

  test("texts are cut at 150 characters", async ({ expect }) => {
    const caption = "word ".repeat(60).trim();
    const cut = { ...mine, title: caption.slice(0, 150) };
    expect(await tiktok.verify(scriptedClient(listed(cut)), at(15, { caption }), lost)).toMatchObject({
      state: "published",
    });
    const shorter = { ...mine, title: "word word" };
    expect(await tiktok.verify(scriptedClient(listed(shorter)), at(15, { caption }), lost)).toMatchObject({
      state: "again",
    });
  });

  test("looks three times in ten minutes and never sends again", async ({ expect }) => {
    expect(await tiktok.verify(scriptedClient(listed()), at(15), lost)).toEqual({
      state: "again",
      afterSeconds: 60,
      isProcessing: false,
    });
    expect(await tiktok.verify(scriptedClient(listed()), at(75), lost)).toEqual({
      state: "again",
      afterSeconds: 525,
      isProcessing: false,
    });
    expect(await tiktok.verify(scriptedClient(listed()), at(600), lost)).toMatchObject({ state: "cannot_tell" });
    expect(await tiktok.verify(scriptedClient(503), at(600), lost)).toMatchObject({ state: "cannot_tell" });
    expect(await tiktok.verify(scriptedClient(listed(mine, { ...mine, id: "78" })), at(15), lost)).toMatchObject({
      state: "cannot_tell",
    });
  });

  test.for<[string, Partial<Job>, object]>([
    ["private ones", { options: { ...OPTIONS, privacy_status: "private" } }, {}],
    ["drafts", { options: { ...OPTIONS, is_draft: true } }, { postSettings: null }],
    ["ones without a text", { caption: "" }, {}],
  ])("%s are listed nowhere", async ([, overrides, plan], { expect }) => {
    const client = scriptedClient(500);
    const ref_ = photoCommitRef({ sendCount: 1, sentAt: NOW, ...plan });
    expect(await tiktok.verify(client, at(15, overrides), ref_)).toMatchObject({ state: "cannot_tell" });
    expect(client.requests).toHaveLength(0);
  });

  test("without the permission to look nothing can be found", async ({ expect }) => {
    expect(await tiktok.verify(scriptedClient(apiError(401, "scope_not_authorized")), at(15), lost)).toMatchObject({
      state: "cannot_tell",
    });
    expect(await tiktok.verify(scriptedClient(apiError(401, "access_token_invalid")), at(15), lost)).toMatchObject({
      state: "refused",
      fault: { kind: "reconnect" },
    });
  });
});
