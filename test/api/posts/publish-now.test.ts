import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, isoInDays, previewTextPost, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

/** Far ahead, so that no alarm fires by itself, and 250 ms after a full second. */
const START = Date.UTC(2038, 2, 1, 9, 0, 0, 250);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: START });
});

afterEach(() => {
  vi.useRealTimers();
});

const post = (caller: ApiCaller, path: string, body: object, headers: Record<string, string> = {}) =>
  callApi(caller, { method: "POST", path, body, headers });

async function createCallerWithAccount() {
  const caller = await createCaller();
  return { caller, account_ids: [(await connectOneAccount(caller)).id] };
}

describe("200", () => {
  test("now stands in the preview, and the post has the time of the confirm", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const { body } = await post(caller, "/posts/preview", { caption: "Hello", scheduled_at: "now", account_ids });
    expect(body.preview).toMatchObject({ scheduled_at: "now", warnings: [] });
    vi.setSystemTime(START + 2 * MINUTE);
    const confirmed = await post(caller, "/posts/confirm", { confirmation_token: body.confirmation_token });
    const scheduledAt = toIsoInstant(START + 2 * MINUTE + SECOND - 250);
    expect(confirmed).toMatchObject({
      status: 200,
      body: { posts: [{ scheduled_at: scheduledAt, status: "scheduled" }], plan_hash: body.preview.plan_hash },
    });
    const { id } = confirmed.body.posts[0];
    const read = await callApi(caller, { method: "GET", path: `/posts/${id}` });
    expect(read.body.post).toMatchObject({ scheduled_at: scheduledAt });
  });

  test("the same call with the same key gets the same post at the same time", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const token = await previewTextPost(caller, account_ids[0] ?? "", { scheduled_at: "now" });
    const send = () => post(caller, "/posts/confirm", { confirmation_token: token }, { "idempotency-key": "now" });
    const first = await send();
    vi.setSystemTime(START + 10 * SECOND);
    const again = await send();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    const { body } = await callApi(caller, { method: "GET", path: "/posts?include_past=true" });
    expect(body.pagination.total).toBe(1);
  });

  test("a zone beside it changes nothing", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const time = { scheduled_at: "now", time_zone: "Asia/Tokyo" };
    const { body } = await post(caller, "/posts/preview", { caption: "Hello", ...time, account_ids });
    expect(body.preview).toMatchObject({ scheduled_at: "now", warnings: [] });
  });

  test("an edit moves posts to the time of its confirm", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const { id, scheduled_at: from } = await scheduleTextPost(caller, account_ids[0] ?? "", {
      scheduled_at: isoInDays(3),
    });
    const { body } = await post(caller, "/posts/edit/preview", { post_ids: [id], scheduled_at: "now" });
    expect(body.preview.posts).toMatchObject([
      { changes: [{ field: "scheduled_at", from, to: "now" }], after: { scheduled_at: "now" } },
    ]);
    vi.setSystemTime(START + MINUTE);
    const edited = await post(caller, "/posts/edit/confirm", { confirmation_token: body.confirmation_token });
    expect(edited.body.posts).toMatchObject([{ id, scheduled_at: toIsoInstant(START + MINUTE + SECOND - 250) }]);
  });

  test("a draft keeps now, which means the confirm of its preview", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const content = { caption: "Hello", scheduled_at: "now", account_ids };
    const { draft } = (await post(caller, "/drafts", content)).body;
    expect(draft).toMatchObject({ content, problems: [] });
    vi.setSystemTime(START + 60 * MINUTE);
    const { body } = await post(caller, `/drafts/${draft.id}/preview`, {});
    expect(body.preview).toMatchObject({ scheduled_at: "now" });
    const confirmed = await post(caller, "/posts/confirm", { confirmation_token: body.confirmation_token });
    expect(confirmed.body.posts).toMatchObject([{ scheduled_at: toIsoInstant(START + 60 * MINUTE + SECOND - 250) }]);
  });

  test("a person who must approve sees now, and the list of requests too", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE user_id = ?").bind(caller.userId).run();
    const token = await previewTextPost(caller, account_ids[0] ?? "", { scheduled_at: "now" });
    const { body } = await post(caller, "/posts/confirm", { confirmation_token: token });
    expect(body).toMatchObject({
      code: "approval_required",
      approval: { expires_at: toIsoInstant(START + 7 * 24 * 60 * MINUTE) },
    });
    const list = await callApi(caller, { method: "GET", path: "/approvals" });
    expect(list.body.approvals).toMatchObject([{ posts: [{ scheduled_at: "now" }] }]);
  });
});

describe("400", () => {
  test.for(["Now", "now ", "NOW", "today"])("%j is no time", async (scheduledAt, { expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const { body } = await post(caller, "/posts/preview", { caption: "Hello", scheduled_at: scheduledAt, account_ids });
    expect(body).toMatchObject({ code: "validation_failed", param: "scheduled_at" });
    expect(body.error).toContain("or now");
  });

  test("one of many posts, of JSON and of a table", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const rows = [{ caption: "One", scheduled_at: "now", account_ids }];
    const table = `caption,scheduled_at,account_ids\nOne,now,${account_ids[0]}\n`;
    const problem = { code: "invalid_value", param: "scheduled_at", row: 1, actual: "now" };
    for (const answer of [
      await post(caller, "/posts/bulk/preview", { posts: rows }),
      await callApi(caller, {
        method: "POST",
        path: "/posts/bulk/preview",
        body: table,
        headers: { "content-type": "text/csv" },
      }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { details: [problem] } });
    }
  });

  test("an edit with now and a shift", async ({ expect }) => {
    const { caller, account_ids } = await createCallerWithAccount();
    const { id } = await scheduleTextPost(caller, account_ids[0] ?? "");
    const change = { post_ids: [id], scheduled_at: "now", shift_minutes: 5 };
    const { body } = await post(caller, "/posts/edit/preview", change);
    expect(body.details).toMatchObject([{ code: "exclusive_fields", param: "shift_minutes" }]);
  });
});
