import { afterEach, describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import { call } from "../../support/call.ts";
import { connectOne, previewText, scheduleText } from "../../support/journey.ts";
import { type Caller, newCaller } from "../../support/user.ts";

const confirm = (caller: Caller, token: unknown, path = "/posts/confirm") =>
  call(caller, { method: "POST", path, body: { confirmation_token: token }, headers: { "x-request-id": "same" } });

afterEach(() => {
  vi.useRealTimers();
});

async function withToken() {
  const caller = await newCaller();
  const account = await connectOne(caller);
  return { caller, account, token: await previewText(caller, account.id) };
}

describe("200", () => {
  test("exactly what was previewed is scheduled", async ({ expect }) => {
    const { caller, account, token } = await withToken();
    const answer = await confirm(caller, token);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        posts: [
          { status: "scheduled", version: 1, targets: [{ account_id: account.id, status: "pending", attempts: 0 }] },
        ],
      },
    });
    expect(answer.body.plan_hash).toBe(answer.body.posts[0].plan_hash);
  });

  test("of 8 parallel confirms of one token, one makes the post and the others learn its id", async ({ expect }) => {
    const { caller, token } = await withToken();
    const answers = await Promise.all(Array.from({ length: 8 }, () => confirm(caller, token)));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(7);
    for (const { body } of refused) {
      expect(body).toMatchObject({ code: "token_already_used", post_ids: [made[0]?.body.posts[0].id] });
    }
  });
});

describe("400", () => {
  test.for([undefined, null, "", 1, ["a"], "x".repeat(513)])("confirmation_token %j", async (token, { expect }) => {
    expect(await confirm(await newCaller(), token)).toMatchObject({
      status: 400,
      body: { param: "confirmation_token" },
    });
  });

  test("unknown, somebody else's, of the other kind and expired: word for word the same", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { caller, account, token } = await withToken();
    const unknown = await confirm(caller, "x".repeat(43));
    const foreign = await confirm(await newCaller(), token);
    const otherKind = await confirm(caller, token, "/posts/edit/confirm");
    const post = await scheduleText(caller, account.id);
    const edit = await call(caller, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [post.id], caption: "Other" },
    });
    const editAtSchedule = await confirm(caller, edit.body.confirmation_token);
    vi.setSystemTime(Date.now() + 5 * MINUTE);
    const expired = await confirm(caller, token);
    expect(unknown).toMatchObject({ status: 400, body: { code: "invalid_confirmation_token" } });
    for (const other of [foreign, otherKind, editAtSchedule, expired]) {
      expect(other.body).toEqual(unknown.body);
    }
  });

  test("after the time has passed", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const caller = await newCaller();
    const account = await connectOne(caller);
    const at = new Date(Date.now() + MINUTE).toISOString();
    const token = await previewText(caller, account.id, { scheduled_at: at });
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    expect(await confirm(caller, token)).toMatchObject({ status: 400, body: { code: "scheduled_at_in_past" } });
  });
});
