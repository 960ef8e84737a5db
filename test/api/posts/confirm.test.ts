import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { readConfig } from "#config.ts";
import { makeToken } from "#confirming/token/confirmation-token.ts";
import { MINUTE, SECOND, systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";
import { callApi } from "../../support/call-api.ts";
import { connectOneAccount, previewTextPost, scheduleTextPost } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";

const confirm = (caller: ApiCaller, token: unknown, path = "/posts/confirm") =>
  callApi(caller, { method: "POST", path, body: { confirmation_token: token }, headers: { "x-request-id": "same" } });

afterEach(() => {
  vi.useRealTimers();
});

async function createCallerWithToken() {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  return { caller, account, token: await previewTextPost(caller, account.id) };
}

describe("200", () => {
  test("exactly what was previewed is scheduled", async ({ expect }) => {
    const { caller, account, token } = await createCallerWithToken();
    const response = await confirm(caller, token);
    expect(response).toMatchObject({
      status: 200,
      body: {
        posts: [
          { status: "scheduled", version: 1, targets: [{ account_id: account.id, status: "pending", attempts: 0 }] },
        ],
      },
    });
    expect(response.body.plan_hash).toBe(response.body.posts[0].plan_hash);
  });

  test("of 8 parallel confirms of one token, one creates the post and the others return its id", async ({ expect }) => {
    const { caller, token } = await createCallerWithToken();
    const responses = await Promise.all(Array.from({ length: 8 }, () => confirm(caller, token)));
    const succeeded = responses.filter(({ status }) => status === 200);
    expect(succeeded).toHaveLength(1);
    const refused = responses.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(7);
    for (const { body } of refused) {
      expect(body).toMatchObject({ code: "token_already_used", post_ids: [succeeded[0]?.body.posts[0].id] });
    }
  });
});

describe("400", () => {
  test.for([undefined, null, "", 1, ["a"], "x".repeat(513)])("confirmation_token %j", async (token, { expect }) => {
    expect(await confirm(await createCaller(), token)).toMatchObject({
      status: 400,
      body: { param: "confirmation_token" },
    });
  });

  test("unknown, another user's, for the other operation and expired tokens get the same response", async ({
    expect,
  }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { caller, account, token } = await createCallerWithToken();
    const unknown = await confirm(caller, "x".repeat(43));
    const ofOtherUser = await confirm(await createCaller(), token);
    const otherOperation = await confirm(caller, token, "/posts/edit/confirm");
    const post = await scheduleTextPost(caller, account.id);
    const edit = await callApi(caller, {
      method: "POST",
      path: "/posts/edit/preview",
      body: { post_ids: [post.id], caption: "Other" },
    });
    const editAtSchedule = await confirm(caller, edit.body.confirmation_token);
    vi.setSystemTime(Date.now() + 5 * MINUTE);
    const expired = await confirm(caller, token);
    expect(unknown).toMatchObject({ status: 400, body: { code: "invalid_confirmation_token" } });
    for (const other of [ofOtherUser, otherOperation, editAtSchedule, expired]) {
      expect(other.body).toEqual(unknown.body);
    }
  });

  test("after the scheduled time has passed", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const caller = await createCaller();
    const account = await connectOneAccount(caller);
    const at = new Date(Date.now() + MINUTE).toISOString();
    const token = await previewTextPost(caller, account.id, { scheduled_at: at });
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    expect(await confirm(caller, token)).toMatchObject({ status: 400, body: { code: "scheduled_at_in_past" } });
  });
});

describe("503", () => {
  test("service_held after a restore of the database; the token works once publishing is released", async ({
    expect,
  }) => {
    const { caller, token } = await createCallerWithToken();
    await env.DB.prepare("UPDATE service SET held = 'restored'").run();
    const refused = await confirm(caller, token);
    await env.DB.prepare("UPDATE service SET held = NULL").run();
    expect(refused).toMatchObject({ status: 503, body: { code: "service_held" } });
    expect(refused.headers.get("retry-after")).toBe("60");
    expect(await confirm(caller, token)).toMatchObject({ status: 200 });
  });
});

describe("409", () => {
  /** A token of the caller whose plan is nowhere, as KV of another location shows one that was written a moment ago. */
  const hiddenToken = ({ userId }: ApiCaller) =>
    makeToken({ actor: { userId }, config: readConfig(env), ids: systemIds(systemClock) }, Date.now());

  test.for(["/posts/confirm", "/posts/edit/confirm", "/posts/bulk/confirm"])(
    "%s says when to repeat it, and the key of the call stays free",
    async (path, { expect }) => {
      vi.useFakeTimers({ toFake: ["Date"] });
      const caller = await createCaller();
      const { token } = await hiddenToken(caller);
      const call = (key: string) =>
        callApi(caller, {
          method: "POST",
          path,
          body: { confirmation_token: token },
          headers: { "idempotency-key": key },
        });
      const refused = await call("once");
      expect(refused).toMatchObject({
        status: 409,
        body: { code: "token_not_visible_yet", param: "confirmation_token" },
      });
      expect(refused.headers.get("retry-after")).toBe("1");
      vi.setSystemTime(Date.now() + 91 * SECOND);
      expect(await call("once")).toMatchObject({ status: 400, body: { code: "invalid_confirmation_token" } });
    },
  );

  test("not for a token that KV has lost and the object of the user has", async ({ expect }) => {
    const { caller, token } = await createCallerWithToken();
    const { keys } = await env.TOKENS.list({ prefix: `ct:${caller.userId}:` });
    await Promise.all(keys.map(({ name }) => env.TOKENS.delete(name)));
    expect(keys).toHaveLength(1);
    expect(await confirm(caller, token)).toMatchObject({ status: 200 });
  });
});
