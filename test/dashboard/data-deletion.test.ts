import { env, exports } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { createServices } from "#context.ts";
import { finishOpenDeletions } from "#post-status/index.ts";
import { sandboxOutbound } from "#sandbox/index.ts";
import { callApi } from "../support/call-api.ts";
import { connectAccounts, isoInDays, scheduleTextPost } from "../support/api-workflows.ts";
import { createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";
import { signedRequest } from "../support/signed-request.ts";

const SECRET = "sandbox-facebook-secret";

/** A call as Meta makes it: from a server, without cookies and with an origin of its own. */
function callAsPlatform(path: string, request: string, headers: Record<string, string> = {}): Promise<Response> {
  return exports.default.fetch(`${ORIGIN}/connect/${path}`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams({ signed_request: request }).toString(),
  });
}

async function queryRow(sql: string, ...bindings: unknown[]): Promise<Record<string, unknown> | null> {
  return await env.DB.prepare(sql)
    .bind(...bindings)
    .first();
}

async function connectPages() {
  const caller = await createCaller();
  const accounts = await connectAccounts(caller, "facebook");
  const connection = await queryRow("SELECT id, external_id FROM connections WHERE user_id = ?", caller.userId);
  const person = String(connection?.["external_id"]);
  const content = { algorithm: "HMAC-SHA256", user_id: person, issued_at: Math.floor(Date.now() / 1000) };
  return { caller, accounts, connectionId: String(connection?.["id"]), person, content };
}

const deletionAnswer = async (response: Response) => await response.json<{ url: string; confirmation_code: string }>();

describe("deauthorize", () => {
  test("erases the tokens, asks for a new login and pauses the posts that have no other account", async ({
    expect,
  }) => {
    const { caller, accounts, connectionId, content } = await connectPages();
    const post = await scheduleTextPost(caller, accounts[0]!.id);
    const response = await callAsPlatform("facebook/deauthorize", await signedRequest(content, SECRET));
    expect(response.status).toBe(200);
    expect(await queryRow("SELECT sealed_tokens, status FROM connections WHERE id = ?", connectionId)).toEqual({
      sealed_tokens: null,
      status: "needs_reconnect",
    });
    const listed = await callApi(caller, { method: "GET", path: "/accounts" });
    expect(listed.body.accounts.map(({ status }: { status: string }) => status)).not.toContain("active");
    const after = await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
    expect(after.body.post.status).toBe("paused");
  });

  test("does not end a login that is newer than the call: it cannot be replayed", async ({ expect }) => {
    const { connectionId, content } = await connectPages();
    const old = await signedRequest({ ...content, issued_at: content.issued_at - 60 }, SECRET);
    expect((await callAsPlatform("facebook/deauthorize", old)).status).toBe(200);
    expect(await queryRow("SELECT status FROM connections WHERE id = ?", connectionId)).toEqual({ status: "active" });
  });
});

describe("data deletion", () => {
  test("erases names, pictures and ids everywhere, keeps the author's posts, and says so under the code", async ({
    expect,
  }) => {
    const { caller, accounts, person, content } = await connectPages();
    const { workspaceId } = caller;
    await env.DB.prepare("INSERT INTO event_logs (workspace_id, switched_on, recording, sweep_at) VALUES (?, 1, 1, 0)")
      .bind(workspaceId)
      .run();
    const post = await scheduleTextPost(caller, accounts[0]!.id, { caption: "The author's words" });
    const response = await callAsPlatform("facebook/data-deletion", await signedRequest(content, SECRET));
    expect(response.status).toBe(200);
    const { url, confirmation_code: code } = await deletionAnswer(response);
    expect(code).toMatch(/^[\da-f]{32}$/);
    expect(url).toBe(`${ORIGIN}/data-deletion/${code}`);

    for (const table of ["connections", "accounts", "data_deletions", "events"]) {
      const { results } = await env.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(JSON.stringify(results), table).not.toContain(person);
    }
    const { results: events } = await env.DB.prepare("SELECT type, data FROM events WHERE workspace_id = ?")
      .bind(workspaceId)
      .all();
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["post.scheduled", "account.disconnected"]));
    expect(JSON.stringify(events)).not.toContain(accounts[0]!.username);
    expect(events.every(({ data }) => String(data).startsWith('{"erased":'))).toBe(true);
    const account = await queryRow("SELECT * FROM accounts WHERE id = ?", accounts[0]!.id);
    expect(account).toMatchObject({
      username: "deleted",
      display_name: "Deleted",
      avatar_url: null,
      profile_url: null,
    });
    const target = await queryRow("SELECT * FROM post_targets WHERE post_id = ?", post.id);
    expect(target).toMatchObject({ username: "deleted", state: "skipped", remote_id: null, remote_url: null });
    expect((await callApi(caller, { method: "GET", path: `/posts/${post.id}` })).body.post.caption).toBe(
      "The author's words",
    );

    const page = await exports.default.fetch(url);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain("Data deleted");
    expect(html).toContain(code);
    expect(html).not.toContain(person);
  });

  test("a repeated request gets the same code, and the person may connect again", async ({ expect }) => {
    const { caller, content } = await connectPages();
    const request = await signedRequest(content, SECRET);
    const first = await deletionAnswer(await callAsPlatform("facebook/data-deletion", request));
    expect(await deletionAnswer(await callAsPlatform("facebook/data-deletion", request))).toEqual(first);
    const again = await connectAccounts(caller, "facebook");
    expect(again.length).toBeGreaterThan(0);
  });

  test("eight parallel requests have one code", async ({ expect }) => {
    const { content } = await connectPages();
    const request = await signedRequest(content, SECRET);
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => callAsPlatform("facebook/data-deletion", request)),
    );
    const codes = await Promise.all(
      responses.map(async (response) => (await deletionAnswer(response)).confirmation_code),
    );
    expect(new Set(codes).size).toBe(1);
  });

  test("waits for a post in progress, and the cron finishes it", async ({ expect }) => {
    const { caller, accounts, content } = await connectPages();
    const post = await scheduleTextPost(caller, accounts[0]!.id);
    await env.DB.prepare("UPDATE posts SET status = 'publishing' WHERE id = ?").bind(post.id).run();
    const response = await callAsPlatform("facebook/data-deletion", await signedRequest(content, SECRET));
    const { url, confirmation_code: code } = await deletionAnswer(response);
    expect(await (await exports.default.fetch(url)).text()).toContain("Deletion under way");
    await env.DB.prepare("UPDATE posts SET status = 'failed' WHERE id = ?").bind(post.id).run();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 6 * 60_000 });
    try {
      await finishOpenDeletions(createServices(env, sandboxOutbound(env), () => {}));
    } finally {
      vi.useRealTimers();
    }
    expect(
      await queryRow("SELECT external_id, completed_at IS NOT NULL AS done FROM data_deletions WHERE code = ?", code),
    ).toEqual({ external_id: null, done: 1 });
  });
});

describe("a call that the platform did not sign", () => {
  test.for(["facebook/deauthorize", "facebook/data-deletion", "threads/data-deletion", "x/deauthorize"])(
    "is refused at %s and changes nothing",
    async (path, { expect }) => {
      const { connectionId, content } = await connectPages();
      const forged = await signedRequest(content, "guess");
      const response = await callAsPlatform(path, forged, { origin: "https://evil.example" });
      expect(response.status).toBe(400);
      expect(await queryRow("SELECT status FROM connections WHERE id = ?", connectionId)).toEqual({ status: "active" });
    },
  );

  test("signed with the secret of another platform's app it is refused too", async ({ expect }) => {
    const { content } = await connectPages();
    const response = await callAsPlatform("instagram/deauthorize", await signedRequest(content, SECRET));
    expect(response.status).toBe(400);
  });

  test("an unknown platform is 404, an unknown code too, and a body over the limit is 413", async ({ expect }) => {
    expect((await callAsPlatform("myspace/deauthorize", "")).status).toBe(404);
    expect((await exports.default.fetch(`${ORIGIN}/data-deletion/${"0".repeat(32)}`)).status).toBe(404);
    expect((await callAsPlatform("facebook/deauthorize", "x".repeat(70_000))).status).toBe(413);
  });
});

test("a post for later than the deletion is possible for the workspace's other accounts", async ({ expect }) => {
  const { caller, accounts, content } = await connectPages();
  const [other] = await connectAccounts(caller, "x");
  const post = await scheduleTextPost(caller, accounts[0]!.id, {
    account_ids: [accounts[0]!.id, other!.id],
    scheduled_at: isoInDays(2),
  });
  await callAsPlatform("facebook/data-deletion", await signedRequest(content, SECRET));
  const after = await callApi(caller, { method: "GET", path: `/posts/${post.id}` });
  expect(after.body.post.status).toBe("scheduled");
  expect(after.body.post.targets.map(({ status }: { status: string }) => status).toSorted()).toEqual([
    "pending",
    "skipped",
  ]);
});
