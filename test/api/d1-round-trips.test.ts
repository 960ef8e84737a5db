import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createApi } from "#api/index.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import type { D1Counts } from "#sandbox/d1-counter.ts";
import { countingD1 } from "../support/counting-d1.ts";
import {
  connectAccounts,
  connectOneAccount,
  isoInDays,
  previewTextPost,
  scheduleTextPost,
} from "../support/api-workflows.ts";
import { ORIGIN } from "../support/origin.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";

const api = createApi(sandboxOutbound);

interface Measured extends D1Counts {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read arbitrary members of responses
  readonly body: any;
}

/** One request with its D1 calls counted until the response; deferred work is not counted. */
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
  const countAtResponse = { ...count };
  const { status } = response;
  const measured = { ...countAtResponse, status, body: await response.json() };
  await waitOnExecutionContext(ctx);
  return measured;
}

/** The key of this caller has been used, so its last use is not written again. */
async function createCallerWithAccount(): Promise<{ caller: ApiCaller; accountId: string }> {
  const caller = await createCaller();
  const account = await connectOneAccount(caller);
  return { caller, accountId: account.id };
}

describe("D1 round trips, including authentication", () => {
  test("none for a malformed credential", async ({ expect }) => {
    const response = await measure({ key: "malformed" }, "GET", "/posts");
    expect(response).toMatchObject({ status: 401, roundTrips: 0 });
  });

  test("one for a caller without the scope", async ({ expect }) => {
    const caller = await createCaller({ scopes: ["accounts:read"] });
    // The first use of a key is stored after the response, which would be a second round trip.
    await measure(caller, "GET", "/accounts");
    const response = await measure(caller, "GET", "/posts");
    expect(response).toMatchObject({ status: 403, roundTrips: 1 });
  });

  test.for([
    "/accounts",
    "/workspaces",
    "/posts",
    "/posts?fields=summary&status=failed&offset=10",
    "/schedule/summary",
  ])("two for GET %s", async (path, { expect }) => {
    const { caller, accountId } = await createCallerWithAccount();
    await scheduleTextPost(caller, accountId);
    const response = await measure(caller, "GET", path);
    expect(response.status).toBe(200);
    expect(response.roundTrips).toBe(2);
  });

  test("one for GET /platforms", async ({ expect }) => {
    const { caller } = await createCallerWithAccount();
    expect(await measure(caller, "GET", "/platforms")).toMatchObject({ status: 200, roundTrips: 1 });
  });

  test("two for a post and for its attempts", async ({ expect }) => {
    const { caller, accountId } = await createCallerWithAccount();
    const { id } = await scheduleTextPost(caller, accountId);
    expect(await measure(caller, "GET", `/posts/${id}`)).toMatchObject({ status: 200, roundTrips: 2 });
    expect(await measure(caller, "GET", `/posts/${id}/attempts`)).toMatchObject({ status: 200, roundTrips: 2 });
  });

  test("two for preview, confirm, edit preview, edit confirm and cancel", async ({ expect }) => {
    const { caller, accountId } = await createCallerWithAccount();
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
    const editPreviewed = await measure(caller, "POST", "/posts/edit/preview", { post_ids: [id], caption: "Other" });
    expect(editPreviewed).toMatchObject({ status: 200, roundTrips: 2 });
    const editToken = { confirmation_token: editPreviewed.body.confirmation_token };
    const editConfirmed = await measure(caller, "POST", "/posts/edit/confirm", editToken);
    expect(editConfirmed.status).toBe(200);
    expect(editConfirmed.roundTrips).toBeLessThanOrEqual(2);
    const cancelled = await measure(caller, "DELETE", `/posts/${id}`, { confirm: true });
    expect(cancelled.status).toBe(200);
    expect(cancelled.roundTrips).toBeLessThanOrEqual(2);
  });

  test("for a confirm that a person must approve: three at first, then two; two to read and to list, three to withdraw", async ({
    expect,
  }) => {
    const { caller, accountId } = await createCallerWithAccount();
    await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE user_id = ?").bind(caller.userId).run();
    const token = { confirmation_token: await previewTextPost(caller, accountId) };
    const requested = await measure(caller, "POST", "/posts/confirm", token);
    expect(requested).toMatchObject({ status: 403, roundTrips: 3 });
    expect(await measure(caller, "POST", "/posts/confirm", token)).toMatchObject({ status: 403, roundTrips: 2 });
    const path = `/approvals/${requested.body.approval.id}`;
    expect(await measure(caller, "GET", path)).toMatchObject({ status: 200, roundTrips: 2 });
    expect(await measure(caller, "GET", "/approvals")).toMatchObject({ status: 200, roundTrips: 2 });
    expect(await measure(caller, "DELETE", path, { confirm: true })).toMatchObject({ status: 200, roundTrips: 3 });
  });

  test("two for a page of events, for an event, and for each call of a webhook; a third of a write looks for webhooks to wake", async ({
    expect,
  }) => {
    const { caller } = await createCallerWithAccount();
    const url = "https://shop.example.com/almanac";
    const created = await measure(caller, "POST", "/webhooks", { url, types: ["*"] });
    expect(created).toMatchObject({ status: 201, roundTrips: 2 });
    await connectOneAccount(caller, "x", "ben");
    const page = await measure(caller, "GET", "/events");
    expect(page).toMatchObject({ status: 200, roundTrips: 2 });
    const path = `/webhooks/${created.body.webhook.id}`;
    const reads = [
      await measure(caller, "GET", `/events/${page.body.events[0].id}`),
      await measure(caller, "GET", "/events?types=account.connected"),
      await measure(caller, "GET", "/webhooks"),
      await measure(caller, "GET", path),
      await measure(caller, "GET", `${path}/deliveries`),
    ];
    expect(reads.map(({ status, roundTrips }) => [status, roundTrips])).toEqual(reads.map(() => [200, 2]));
    const writes = [
      await measure(caller, "PATCH", path, { types: ["post.failed"] }),
      await measure(caller, "POST", `${path}/rotate-secret`),
      await measure(caller, "POST", `${path}/replay`, { after_seq: 0 }),
      await measure(caller, "DELETE", path, { confirm: true }),
    ];
    expect(writes.map(({ status, roundTrips }) => [status, roundTrips])).toEqual(writes.map(() => [200, 3]));
  });

  test("two for a refused preview", async ({ expect }) => {
    const { caller } = await createCallerWithAccount();
    const body = { caption: "Hello", scheduled_at: isoInDays(1), account_ids: [crypto.randomUUID()] };
    expect(await measure(caller, "POST", "/posts/preview", body)).toMatchObject({ status: 400, roundTrips: 2 });
  });

  test("two for an invalid body, whose readable members are checked like those of a valid one", async ({ expect }) => {
    const { caller } = await createCallerWithAccount();
    expect(await measure(caller, "POST", "/posts/preview", {})).toMatchObject({ status: 400, roundTrips: 2 });
  });
});

test("a confirm writes the same number of statements for one target and for several", async ({ expect }) => {
  const { caller, accountId } = await createCallerWithAccount();
  const otherAccounts = [...(await connectAccounts(caller, "x", "ben")), ...(await connectAccounts(caller, "threads"))];
  const confirm = async (accountIds: readonly string[]) => {
    const token = await previewTextPost(caller, accountId, { account_ids: [...new Set(accountIds)] });
    return measure(caller, "POST", "/posts/confirm", { confirmation_token: token });
  };
  const forOne = await confirm([accountId]);
  const forSeveral = await confirm([accountId, ...otherAccounts.map(({ id }) => id)]);
  expect(forSeveral.body.posts[0].targets).toHaveLength(3);
  expect(forSeveral.statements).toBe(forOne.statements);
});
