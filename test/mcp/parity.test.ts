import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { createApi } from "#api/index.ts";
import { serveMcp } from "#mcp/index.ts";
import { TOOLS } from "#mcp/tools/index.ts";
import type { D1Counts } from "#sandbox/d1-counter.ts";
import { sandboxOutbound, withSandboxCredentials } from "#sandbox/index.ts";
import { connectOneAccount, isoInDays, scheduleTextPost } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { mcpRequest, readMcpResponse } from "../support/call-mcp.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";

/*
 * A tool is its operation in other words: it refuses the same, writes the same rows and asks the database as often.
 */

const api = createApi(sandboxOutbound);

interface Measured {
  /** How many rows a statement reads depends on what other tests have stored. */
  readonly counts: D1Counts;
  /** The body that the API answers with, of a refusal too. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any member of an answer
  readonly body: any;
}

type Send = (sandboxEnv: typeof env, ctx: ExecutionContext) => Promise<Response>;

async function measure(send: Send): Promise<Measured & { readonly response: Response }> {
  const { d1, count } = countingD1(env.DB);
  const ctx = createExecutionContext();
  const response = await send({ ...withSandboxCredentials(env), DB: d1 }, ctx);
  const copy = response.clone();
  await copy.text();
  const counts = { ...count };
  await waitOnExecutionContext(ctx);
  return { counts, body: null, response };
}

async function callOperation(caller: ApiCaller, [method, path]: readonly string[], body: unknown): Promise<Measured> {
  const request = new Request(`${ORIGIN}/v1${path}`, {
    method: method ?? "GET",
    headers: { authorization: `Bearer ${caller.key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const { counts, response } = await measure((sandboxEnv, ctx) => Promise.resolve(api.fetch(request, sandboxEnv, ctx)));
  return { counts, body: await response.json() };
}

async function callTool(caller: ApiCaller, name: string, args: object): Promise<Measured> {
  const request = mcpRequest(caller.key, { method: "tools/call", params: { name, arguments: args }, era: "2026" });
  const { counts, response } = await measure((sandboxEnv, ctx) => serveMcp(request, sandboxEnv, ctx, sandboxOutbound));
  const { body } = await readMcpResponse(response);
  return { counts, body: body.result.isError ? body.result._meta["almanac/error"] : body.result.structuredContent };
}

interface Scene {
  readonly caller: ApiCaller;
  readonly accountId: string;
  readonly postId: string;
  readonly draftId: string;
}

/** In turn, because platforms limit how often somebody logs in. */
const TEXT_PLATFORMS = ["threads", "bluesky", "mastodon", "x"] as const;

async function createScene(turn = 0): Promise<Scene> {
  const caller = await createCaller();
  const account = await connectOneAccount(caller, TEXT_PLATFORMS[turn % TEXT_PLATFORMS.length]);
  const { id } = await scheduleTextPost(caller, account.id);
  const draft = { caption: "Hello", scheduled_at: AT, account_ids: [account.id] };
  const { body } = await callApi(caller, { method: "POST", path: "/drafts", body: draft });
  return { caller, accountId: account.id, postId: id, draftId: body.draft.id };
}

interface Pair {
  readonly tool: string;
  readonly args: (scene: Scene) => Record<string, unknown>;
  readonly operation: (scene: Scene) => readonly string[];
  readonly body?: (scene: Scene) => unknown;
}

const UNKNOWN_ID = "01983c1e-0000-7c3e-9a57-3f1f6f0f2a11";
const AT = isoInDays(3);

const PAIRS: readonly Pair[] = [
  { tool: "list_accounts", args: () => ({}), operation: () => ["GET", "/accounts"] },
  {
    tool: "list_pinterest_boards",
    args: ({ accountId }) => ({ account_id: accountId }),
    operation: ({ accountId }) => ["GET", `/accounts/pinterest-boards?account_id=${accountId}`],
  },
  {
    tool: "connect_account",
    args: () => ({ platform: "threads" }),
    operation: () => ["POST", "/accounts"],
    body: () => ({ platform: "threads" }),
  },
  { tool: "sync_accounts", args: () => ({}), operation: () => ["POST", "/accounts/sync"] },
  { tool: "get_platform_rules", args: () => ({ platform: "x" }), operation: () => ["GET", "/platforms"] },
  {
    tool: "import_media",
    args: () => ({ urls: [`${ORIGIN}/sandbox/media/portrait.jpg`] }),
    operation: () => ["POST", "/media"],
    body: () => ({ urls: [`${ORIGIN}/sandbox/media/portrait.jpg`] }),
  },
  {
    tool: "create_upload",
    args: () => ({ filename: "a.jpg", content_type: "image/jpeg", size_bytes: 100 }),
    operation: () => ["POST", "/media/uploads"],
    body: () => ({ filename: "a.jpg", content_type: "image/jpeg", size_bytes: 100 }),
  },
  {
    tool: "preview_post",
    args: ({ accountId }) => ({ caption: "Hello", scheduled_at: AT, account_ids: [accountId] }),
    operation: () => ["POST", "/posts/preview"],
    body: ({ accountId }) => ({ caption: "Hello", scheduled_at: AT, account_ids: [accountId] }),
  },
  {
    tool: "preview_edit",
    args: ({ postId }) => ({ post_ids: [postId], shift_minutes: 5 }),
    operation: () => ["POST", "/posts/edit/preview"],
    body: ({ postId }) => ({ post_ids: [postId], shift_minutes: 5 }),
  },
  {
    tool: "list_posts",
    args: () => ({ q: "hello" }),
    operation: () => ["GET", "/posts?q=hello&fields=summary&limit=20"],
  },
  {
    tool: "get_post",
    args: ({ postId }) => ({ post_id: postId }),
    operation: ({ postId }) => ["GET", `/posts/${postId}`],
  },
  {
    tool: "annotate_post",
    args: ({ postId }) => ({ post_id: postId, labels: ["launch"], notes: "Ask Grace." }),
    operation: ({ postId }) => ["PUT", `/posts/${postId}/annotations`],
    body: () => ({ labels: ["launch"], notes: "Ask Grace." }),
  },
  {
    tool: "read_drafts",
    args: ({ draftId }) => ({ draft_id: draftId }),
    operation: ({ draftId }) => ["GET", `/drafts/${draftId}`],
  },
  {
    tool: "save_draft",
    args: ({ draftId }) => ({ draft_id: draftId, version: 1, content: { caption: "Hi" } }),
    operation: ({ draftId }) => ["PATCH", `/drafts/${draftId}`],
    body: () => ({ version: 1, caption: "Hi" }),
  },
  {
    tool: "preview_draft",
    args: ({ draftId }) => ({ draft_id: draftId, changes: { caption: "Hi" } }),
    operation: ({ draftId }) => ["POST", `/drafts/${draftId}/preview`],
    body: () => ({ caption: "Hi" }),
  },
  {
    tool: "delete_draft",
    args: ({ draftId }) => ({ draft_id: draftId, confirm: true }),
    operation: ({ draftId }) => ["DELETE", `/drafts/${draftId}`],
    body: () => ({ confirm: true }),
  },
  {
    tool: "set_slots",
    args: () => ({ time_zone: "Europe/Berlin", slots: [{ weekday: 1, time: "09:30" }] }),
    operation: () => ["PUT", "/schedule/slots"],
    body: () => ({ time_zone: "Europe/Berlin", slots: [{ weekday: 1, time: "09:30" }] }),
  },
  { tool: "get_slots", args: () => ({}), operation: () => ["GET", "/schedule/next-slots"] },
  {
    tool: "cancel_post",
    args: ({ postId }) => ({ post_id: postId, confirm: true }),
    operation: ({ postId }) => ["DELETE", `/posts/${postId}`],
    body: () => ({ confirm: true }),
  },
  {
    tool: "disconnect_account",
    args: ({ accountId }) => ({ account_id: accountId, confirm: true }),
    operation: () => ["DELETE", "/accounts"],
    body: ({ accountId }) => ({ account_id: accountId, confirm: true }),
  },
  {
    tool: "switch_workspace",
    args: ({ caller }) => ({ workspace_id: caller.workspaceId }),
    operation: () => ["POST", "/workspaces/active"],
    body: ({ caller }) => ({ workspace_id: caller.workspaceId }),
  },
];

/** The tables of what a person has. */
const TABLES = [
  "accounts",
  "approvals",
  "confirmations",
  "connect_states",
  "connections",
  "drafts",
  "hourly_use",
  "media",
  "posts",
  "uploads",
  "workspaces",
];

async function rowsOf({ userId }: ApiCaller): Promise<readonly string[]> {
  const results = await env.DB.batch<{ n: number }>(
    TABLES.map((name) => env.DB.prepare(`SELECT count(*) AS n FROM ${name} WHERE user_id = ?`).bind(userId)),
  );
  return results.map(({ results: [row] }, index) => `${TABLES[index]} ${row?.n}`);
}

describe.each(PAIRS.map((pair, turn) => ({ ...pair, turn })))("$tool", ({ tool, args, operation, body, turn }) => {
  test("asks the database as often as its operation and writes the same rows", async ({ expect }) => {
    const [mine, theirs] = [await createScene(turn), await createScene(turn)];
    // The first use of a key is stored after the answer.
    await callTool(mine.caller, "get_platform_rules", { platform: "x" });
    await callOperation(theirs.caller, ["GET", "/platforms"], undefined);
    const byTool = await callTool(mine.caller, tool, args(mine));
    const byOperation = await callOperation(theirs.caller, operation(theirs), body?.(theirs));
    expect({ ...byTool.counts, rowsRead: 0 }).toEqual({ ...byOperation.counts, rowsRead: 0 });
    expect(await rowsOf(mine.caller)).toEqual(await rowsOf(theirs.caller));
    expect(byTool.body?.code).toEqual(byOperation.body?.code);
  });
});

describe("confirm_preview", () => {
  test("asks as often as the confirm of the API, and not more for a second use", async ({ expect }) => {
    const scene = await createScene();
    const preview = async () =>
      (
        await callTool(scene.caller, "preview_post", {
          caption: "Hi",
          scheduled_at: AT,
          account_ids: [scene.accountId],
        })
      ).body.confirmation_token as string;
    const [first, second] = [await preview(), await preview()];
    const token = { confirmation_token: first };
    const byTool = await callTool(scene.caller, "confirm_preview", token);
    const byOperation = await callOperation(scene.caller, ["POST", "/posts/confirm"], { confirmation_token: second });
    expect(byTool.counts.roundTrips).toBe(byOperation.counts.roundTrips);
    const again = await callTool(scene.caller, "confirm_preview", token);
    const refused = await callOperation(scene.caller, ["POST", "/posts/confirm"], token);
    expect(refused.body.code).toBe("token_already_used");
    expect(again.body.posts.map(({ id }: { id: string }) => id)).toEqual(refused.body.post_ids);
    expect(again.counts.roundTrips).toBeLessThanOrEqual(refused.counts.roundTrips + 1);
  });
});

test("get_overview takes one round trip for each thing that it shows", async ({ expect }) => {
  const { caller } = await createScene();
  await callTool(caller, "get_platform_rules", { platform: "x" });
  const { counts } = await callTool(caller, "get_overview", {});
  // The credential, the workspaces, the summary, the approvals.
  expect(counts.roundTrips).toBeLessThanOrEqual(4);
});

test("a refused call takes at most two round trips more than its operation", async ({ expect }) => {
  const { caller } = await createScene();
  await callTool(caller, "get_platform_rules", { platform: "x" });
  const args = { caption: "Hi", scheduled_at: AT, account_ids: [UNKNOWN_ID] };
  const byTool = await callTool(caller, "preview_post", args);
  const byOperation = await callOperation(caller, ["POST", "/posts/preview"], args);
  expect(byTool.body).toMatchObject({ code: byOperation.body.code, details: byOperation.body.details });
  expect(byTool.counts.roundTrips).toBeLessThanOrEqual(byOperation.counts.roundTrips + 2);
});

test("every tool is compared", ({ expect }) => {
  const compared = [...PAIRS.map(({ tool }) => tool), "confirm_preview", "get_overview"];
  expect(compared.toSorted()).toEqual(TOOLS.map(({ name }) => name).toSorted());
});

describe("what does not exist, or belongs to somebody else", () => {
  const theirs = async () => await createScene();

  test.for([
    ["get_post", (scene: Scene) => ({ post_id: scene.postId })],
    ["cancel_post", (scene: Scene) => ({ post_id: scene.postId, confirm: true })],
    ["read_drafts", (scene: Scene) => ({ draft_id: scene.draftId })],
    ["save_draft", (scene: Scene) => ({ draft_id: scene.draftId, version: 1, content: { caption: "Mine" } })],
    ["preview_draft", (scene: Scene) => ({ draft_id: scene.draftId })],
    ["delete_draft", (scene: Scene) => ({ draft_id: scene.draftId, confirm: true })],
    ["disconnect_account", (scene: Scene) => ({ account_id: scene.accountId, confirm: true })],
    ["switch_workspace", (scene: Scene) => ({ workspace_id: scene.caller.workspaceId })],
  ] as const)("%s answers alike", async ([tool, args], { expect }) => {
    const { caller } = await createScene();
    const foreign = await callTool(caller, tool, args(await theirs()));
    const missing = await callTool(caller, tool, {
      ...args({
        caller: { ...caller, workspaceId: UNKNOWN_ID },
        accountId: UNKNOWN_ID,
        postId: UNKNOWN_ID,
        draftId: UNKNOWN_ID,
      }),
    });
    expect(foreign.body).toEqual({ ...missing.body, request_id: foreign.body.request_id });
    expect(foreign.body.code).toBe("not_found");
  });
});
