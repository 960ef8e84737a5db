import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createApi } from "#api/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { type Count, countingD1 } from "../support/counting-d1.ts";
import { connectAccounts, connectOneAccount, isoInDays, previewTextPost, scheduleTextPost } from "../support/api-workflows.ts";
import { ORIGIN } from "../support/origin.ts";
import { type ApiCaller, createCaller } from "../support/api-caller.ts";

const api = createApi(sandboxOutbound);

interface Measured extends Count {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly body: any;
}

/** One request against a counted database; work that goes on after the answer is not part of it. */
async function measure(
  caller: { readonly key: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Measured> {
  const { d1, count } = countingD1(env.DB);
  const ctx = createExecutionContext();
  const request = new Request(`${ORIGIN}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await api.fetch(request, { ...withSandboxCredentials(env), DB: d1 }, ctx);
  const answered = { ...count };
  const { status } = response;
  const answer = { ...answered, status, body: await response.json() };
  await waitOnExecutionContext(ctx);
  return answer;
}

/** A user whose key was used already, so that its last use is not written again. */
async function withAccount(): Promise<{ caller: ApiCaller; accountId: string }> {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  return { caller, accountId: account.id };
}

describe("D1 round trips, credential included", () => {
  test("none for junk", async ({ expect }) => {
    const answer = await measure({ key: "junk" }, "GET", "/posts");
    expect(answer).toMatchObject({ status: 401, roundTrips: 0 });
  });

  test("one for a caller without the scope", async ({ expect }) => {
    const caller = await createCaller({ scopes: ["accounts:read"] });
    // The first use of a key is written down after the answer.
    await measure(caller, "GET", "/accounts");
    const answer = await measure(caller, "GET", "/posts");
    expect(answer).toMatchObject({ status: 403, roundTrips: 1 });
  });

  test.for([
    "/accounts",
    "/workspaces",
    "/posts",
    "/posts?fields=summary&status=failed&offset=10",
    "/schedule/summary",
  ])("two for GET %s", async (path, { expect }) => {
    const { caller, accountId } = await withAccount();
    await scheduleTextPost(caller, accountId);
    const answer = await measure(caller, "GET", path);
    expect(answer.status).toBe(200);
    expect(answer.roundTrips).toBe(2);
  });

  test("one for GET /platforms", async ({ expect }) => {
    const { caller } = await withAccount();
    expect(await measure(caller, "GET", "/platforms")).toMatchObject({ status: 200, roundTrips: 1 });
  });

  test("two for a post and for its history", async ({ expect }) => {
    const { caller, accountId } = await withAccount();
    const { id } = await scheduleTextPost(caller, accountId);
    expect(await measure(caller, "GET", `/posts/${id}`)).toMatchObject({ status: 200, roundTrips: 2 });
    expect(await measure(caller, "GET", `/posts/${id}/attempts`)).toMatchObject({ status: 200, roundTrips: 2 });
  });

  test("two for preview, confirm, edit preview, edit confirm and cancel", async ({ expect }) => {
    const { caller, accountId } = await withAccount();
    const previewed = await measure(caller, "POST", "/posts/preview", {
      caption: "Hello",
      scheduled_at: isoInDays(1),
      account_ids: [accountId],
    });
    expect(previewed).toMatchObject({ status: 200, roundTrips: 2 });
    const token = { confirmation_token: previewed.body.confirmation_token };
    const confirmed = await measure(caller, "POST", "/posts/confirm", token);
    expect(confirmed.status).toBe(200);
    expect(confirmed.roundTrips).toBeLessThanOrEqual(2);
    const [{ id }] = confirmed.body.posts;
    const edited = await measure(caller, "POST", "/posts/edit/preview", { post_ids: [id], caption: "Other" });
    expect(edited).toMatchObject({ status: 200, roundTrips: 2 });
    const editToken = { confirmation_token: edited.body.confirmation_token };
    const done = await measure(caller, "POST", "/posts/edit/confirm", editToken);
    expect(done.status).toBe(200);
    expect(done.roundTrips).toBeLessThanOrEqual(2);
    const cancelled = await measure(caller, "DELETE", `/posts/${id}`, { confirm: true });
    expect(cancelled.status).toBe(200);
    expect(cancelled.roundTrips).toBeLessThanOrEqual(2);
  });

  test("two for a refused preview", async ({ expect }) => {
    const { caller } = await withAccount();
    const body = { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [crypto.randomUUID()] };
    expect(await measure(caller, "POST", "/posts/preview", body)).toMatchObject({ status: 400, roundTrips: 2 });
  });

  test("one for a body that is wrong", async ({ expect }) => {
    const { caller } = await withAccount();
    expect(await measure(caller, "POST", "/posts/preview", {})).toMatchObject({ status: 400, roundTrips: 1 });
  });
});

test("a confirm writes the same number of statements for one target and for several", async ({ expect }) => {
  const { caller, accountId } = await withAccount();
  const more = [...(await connectAccounts(caller, "x", "ben")), ...(await connectAccounts(caller, "threads"))];
  const confirm = async (accountIds: readonly string[]) => {
    const token = await previewTextPost(caller, accountId, { account_ids: [...new Set(accountIds)] });
    return measure(caller, "POST", "/posts/confirm", { confirmation_token: token });
  };
  const one = await confirm([accountId]);
  const several = await confirm([accountId, ...more.map(({ id }) => id)]);
  expect(several.body.posts[0].targets).toHaveLength(3);
  expect(several.statements).toBe(one.statements);
});
