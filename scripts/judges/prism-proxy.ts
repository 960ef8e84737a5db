import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call as callService, sleep, withService } from "../service.ts";
import { findViolation, startPrism } from "./prism.ts";

/*
 * Calls the API through the Prism proxy: `npm run judge:prism`. Prism compares every response with the OpenAPI document; an
 * undocumented status, media type or member fails the run.
 */

/** The origins of the service and of the proxy, set after both have started. */
let service = "";
let proxy = "";

interface ExpectedCall {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: number;
}

interface CallResult {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- Prism validates the members
  readonly body: any;
}

const callSandbox = (path: string, body: object): Promise<CallResult["body"]> =>
  callService(service, "POST", `/sandbox${path}`, { body });

const seenStatuses = new Map<string, Set<number>>();
const violations: string[] = [];

async function call({ key, method, path, body, headers = {}, expect }: ExpectedCall): Promise<CallResult> {
  const response = await fetch(`${proxy}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  const violation = findViolation((name) => response.headers.get(name), text);
  const where = `${method} ${path} ${response.status}`;
  if (violation !== null) {
    violations.push(`${where}: ${violation}`);
  } else if (response.status !== expect) {
    violations.push(`${where} instead of ${expect}: ${text}`);
  }
  const statuses = seenStatuses.get(`${method} ${path.split("?", 1)[0]}`) ?? new Set();
  seenStatuses.set(`${method} ${path.split("?", 1)[0]}`, statuses.add(response.status));
  return { status: response.status, body: text === "" ? null : JSON.parse(text) };
}

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const UNKNOWN_ID = "11111111-1111-1111-1111-111111111111";

async function checkWorkspaces(key: string): Promise<void> {
  await call({ key, method: "GET", path: "/workspaces", expect: 200 });
  const body = { name: "Studio" };
  const headers = { "idempotency-key": "studio" };
  const { body: made } = await call({ key, method: "POST", path: "/workspaces", body, headers, expect: 201 });
  await call({ key, method: "POST", path: "/workspaces", body, headers, expect: 201 });
  await call({ key, method: "POST", path: "/workspaces", body: { name: "Other" }, headers, expect: 400 });
  await call({ key, method: "POST", path: "/workspaces", body: {}, expect: 400 });
  const activate = { key, method: "POST", path: "/workspaces/active" };
  await call({ ...activate, body: { workspace_id: made.workspace.id }, expect: 200 });
  await call({ ...activate, body: { workspace_id: UNKNOWN_ID }, expect: 404 });
  const starter = await callSandbox("/users", { plan: "starter" });
  await call({ key: starter.api_key, method: "POST", path: "/workspaces", body, expect: 403 });
}

async function checkAccounts(key: string): Promise<string> {
  await call({ key, method: "POST", path: "/accounts", body: { platform: "x" }, expect: 200 });
  await call({ key, method: "POST", path: "/accounts", body: { platform: "myspace" }, expect: 400 });
  const { accounts: connected } = await callSandbox("/connect", { api_key: key, platform: "x" });
  await callSandbox("/connect", { api_key: key, platform: "instagram" });
  await call({ key, method: "GET", path: "/accounts", expect: 200 });
  await call({ key, method: "GET", path: "/accounts?platform=x", expect: 200 });
  await call({ key, method: "GET", path: "/accounts?platform=myspace", expect: 400 });
  await call({ key, method: "POST", path: "/accounts/sync", expect: 200 });
  return connected[0].id;
}

interface Document {
  readonly paths: Readonly<Record<string, unknown>>;
}

async function checkBoards(key: string): Promise<void> {
  const response = await fetch(`${service}/v1/openapi.json`);
  const { paths }: Document = await response.json();
  for (const path of Object.keys(paths).filter((path) => path.endsWith("-boards"))) {
    const platform = path.replace("/accounts/", "").replace("-boards", "");
    const { accounts: connected } = await callSandbox("/connect", { api_key: key, platform });
    await call({ key, method: "GET", path: `${path}?account_id=${connected[0].id}`, expect: 200 });
    await call({ key, method: "GET", path: `${path}?account_id=${UNKNOWN_ID}`, expect: 404 });
    await call({ key, method: "GET", path, expect: 400 });
  }
}

async function checkMedia(key: string): Promise<string> {
  const urls = [`${service}/sandbox/media/portrait.jpg`];
  const { body } = await call({ key, method: "POST", path: "/media", body: { urls }, expect: 200 });
  await call({ key, method: "POST", path: "/media", body: { urls: ["http://10.0.0.1/a.jpg"] }, expect: 400 });
  const upload = { filename: "a.png", content_type: "image/png", size_bytes: 1000 };
  await call({ key, method: "POST", path: "/media/uploads", body: upload, expect: 200 });
  await call({ key, method: "POST", path: "/media/uploads", body: { ...upload, size_bytes: 0 }, expect: 400 });
  return body.media_items[0].url;
}

async function checkPosts(key: string, accountId: string, imageUrl: string): Promise<void> {
  const preview = { key, method: "POST", path: "/posts/preview" };
  const draft = { caption: "Hello", scheduled_at: inHours(5), account_ids: [accountId] };
  await call({ ...preview, body: {}, expect: 400 });
  await call({ ...preview, body: { ...draft, account_ids: [UNKNOWN_ID] }, expect: 400 });
  await call({ ...preview, body: { ...draft, caption: "x".repeat(30_000) }, expect: 400 });
  await call({
    ...preview,
    body: { ...draft, platforms: ["instagram"], media_items: [{ url: imageUrl, type: "image" }] },
    expect: 200,
  });
  const { body: previewed } = await call({ ...preview, body: draft, expect: 200 });
  const confirm = {
    key,
    method: "POST",
    path: "/posts/confirm",
    body: { confirmation_token: previewed.confirmation_token },
  };
  const { body: scheduled } = await call({ ...confirm, expect: 200 });
  await call({ ...confirm, expect: 400 });
  const [post] = scheduled.posts;

  await call({ key, method: "GET", path: `/posts/${post.id}`, expect: 200 });
  await call({ key, method: "GET", path: `/posts/${UNKNOWN_ID}`, expect: 404 });
  await call({ key, method: "GET", path: `/posts/${post.id}/attempts`, expect: 200 });
  await call({ key, method: "GET", path: `/posts/${UNKNOWN_ID}/attempts`, expect: 404 });
  await call({ key, method: "GET", path: "/posts", expect: 200 });
  await call({ key, method: "GET", path: "/posts?fields=summary&order=desc&include_past=true&limit=1", expect: 200 });
  await call({ key, method: "GET", path: "/posts?archived=true&status=failed", expect: 200 });
  await call({ key, method: "GET", path: "/posts?limit=1e3", expect: 400 });
  await call({ key, method: "GET", path: "/schedule/summary?timezone=Europe/Berlin", expect: 200 });
  await call({ key, method: "GET", path: "/schedule/summary?timezone=Mars", expect: 400 });
  await call({ key, method: "GET", path: "/platforms", expect: 200 });

  const edit = { key, method: "POST", path: "/posts/edit/preview" };
  await call({ ...edit, body: { post_ids: [post.id] }, expect: 400 });
  const { body: editPreviewed } = await call({ ...edit, body: { post_ids: [post.id], caption: "Other" }, expect: 200 });
  const confirmEdit = {
    key,
    method: "POST",
    path: "/posts/edit/confirm",
    body: { confirmation_token: editPreviewed.confirmation_token },
  };
  await call({ ...confirmEdit, expect: 200 });
  await call({ ...confirmEdit, expect: 400 });

  await call({ key, method: "DELETE", path: `/posts/${post.id}`, body: { confirm: false }, expect: 400 });
  await call({ key, method: "DELETE", path: `/posts/${post.id}`, body: { confirm: true }, expect: 200 });
  await call({ key, method: "DELETE", path: `/posts/${UNKNOWN_ID}`, body: { confirm: true }, expect: 404 });
}

/** Waits until a post is published, so that published targets and attempts are checked too. */
async function checkPublishedPost(key: string, accountId: string): Promise<void> {
  const draft = { caption: "Now", scheduled_at: new Date(Date.now() + 3000).toISOString(), account_ids: [accountId] };
  const { body: previewed } = await call({ key, method: "POST", path: "/posts/preview", body: draft, expect: 200 });
  const token = { confirmation_token: previewed.confirmation_token };
  const { body: scheduled } = await call({ key, method: "POST", path: "/posts/confirm", body: token, expect: 200 });
  const path = `/posts/${scheduled.posts[0].id}`;
  for (let tries = 0; tries < 60; tries += 1) {
    const { body } = await call({ key, method: "GET", path, expect: 200 });
    if (body.post.status === "published") {
      await call({ key, method: "GET", path: `${path}/attempts`, expect: 200 });
      await call({ key, method: "GET", path: "/posts?include_past=true", expect: 200 });
      await call({ key, method: "DELETE", path, body: { confirm: true }, expect: 400 });
      return;
    }
    await sleep(500);
  }
  violations.push(`${path} was not published within 30 s`);
}

/** Events, and a webhook whose receiver refuses a test and then takes it. */
async function checkWebhooks(key: string): Promise<void> {
  const url = `${service}/sandbox/receivers/prism`;
  const create = { key, method: "POST", path: "/webhooks" };
  const { body: made } = await call({ ...create, body: { url, types: ["*"] }, expect: 201 });
  await call({ ...create, body: { url: "https://10.0.0.1/", types: [] }, expect: 400 });
  const path = `/webhooks/${made.webhook.id}`;
  await callService(service, "PUT", "/sandbox/receivers/prism/behaviour", {
    body: { answers: [{ status: 500, body: "not now", times: 1 }, { status: 204 }] },
  });
  await call({ key, method: "POST", path: `${path}/test`, expect: 200 });
  await call({ key, method: "GET", path: "/webhooks", expect: 200 });
  await call({ key, method: "GET", path, expect: 200 });
  await call({ key, method: "GET", path: `/webhooks/${UNKNOWN_ID}`, expect: 404 });
  const { body: page } = await call({ key, method: "GET", path: `${path}/deliveries?status=failed`, expect: 200 });
  const delivery = `${path}/deliveries/${page.deliveries[0].id}`;
  await call({ key, method: "GET", path: delivery, expect: 200 });
  await call({ key, method: "POST", path: `${delivery}/resend`, expect: 200 });
  await call({ key, method: "GET", path: `${path}/deliveries/none`, expect: 404 });
  await call({ key, method: "POST", path: `${path}/rotate-secret`, expect: 200 });
  await callSandbox("/connect", { api_key: key, platform: "threads" });
  const { body: events } = await call({ key, method: "GET", path: "/events", expect: 200 });
  await call({ key, method: "GET", path: "/events?types=account.connected&limit=1", expect: 200 });
  await call({ key, method: "GET", path: "/events?types=none", expect: 400 });
  await call({ key, method: "GET", path: `/events/${events.events[0].id}`, expect: 200 });
  await call({ key, method: "GET", path: "/events/none", expect: 404 });
  await call({ key, method: "POST", path: `${path}/replay`, body: { after_seq: 0 }, expect: 200 });
  await call({ key, method: "POST", path: `${path}/replay`, body: {}, expect: 400 });
  await call({ key, method: "PATCH", path, body: { enabled: false }, expect: 200 });
  await call({ key, method: "PATCH", path, body: { enabled: true }, expect: 400 });
  await call({ key, method: "PATCH", path: `/webhooks/${UNKNOWN_ID}`, body: { description: "none" }, expect: 404 });
  await call({ key, method: "DELETE", path, body: {}, expect: 400 });
  await call({ key, method: "DELETE", path, body: { confirm: true }, expect: 200 });
  await call({ key, method: "DELETE", path, body: { confirm: true }, expect: 404 });
}

async function checkDisconnect(key: string, accountId: string): Promise<void> {
  const request = { key, method: "DELETE", path: "/accounts" };
  await call({ ...request, body: { account_id: accountId }, expect: 400 });
  await call({ ...request, body: { account_id: UNKNOWN_ID, confirm: true }, expect: 404 });
  await call({ ...request, body: { account_id: accountId, confirm: true }, expect: 200 });
}

async function checkRefusedCallers(): Promise<void> {
  const reader = await callSandbox("/users", { scopes: ["accounts:read"] });
  const lapsed = await callSandbox("/users", { subscription: "canceled" });
  const calledPaths = Array.from(seenStatuses.keys());
  for (const where of calledPaths) {
    const [method = "", path = ""] = where.split(" ");
    const body = method === "GET" ? undefined : {};
    // Prism itself responds to a call without a credential, so the service would not be checked.
    await call({ key: "invalid", method, path, body, expect: 401 });
    await call({ key: lapsed.api_key, method, path, body, expect: 403 });
    if (!path.startsWith("/accounts") && path !== "/platforms") {
      await call({ key: reader.api_key, method, path, body, expect: 403 });
    }
  }
  const headers = { "content-type": "text/plain" };
  const { api_key: key } = await callSandbox("/users", {});
  await call({ key, method: "POST", path: "/workspaces", body: {}, headers, expect: 415 });
  await call({ key, method: "POST", path: "/workspaces", body: { name: "x".repeat(1_100_000) }, expect: 413 });
}

async function runJourney(): Promise<void> {
  const { api_key: key } = await callSandbox("/users", {});
  await checkWorkspaces(key);
  const accountId = await checkAccounts(key);
  await checkBoards(key);
  const imageUrl = await checkMedia(key);
  await checkPosts(key, accountId, imageUrl);
  await checkPublishedPost(key, accountId);
  await checkWebhooks(key);
  await checkDisconnect(key, accountId);
  await checkRefusedCallers();
}

const folder = await mkdtemp(join(tmpdir(), "almanac-prism-"));
try {
  await withService(undefined, async (origin) => {
    service = origin;
    const prism = await startPrism(service, folder);
    proxy = prism.baseUrl;
    try {
      await runJourney();
    } finally {
      prism.stop();
    }
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
const calls = [...seenStatuses.values()].reduce((sum, statuses) => sum + statuses.size, 0);
console.log(
  `${violations.length === 0 ? "ok  " : "FAIL"} Prism: ${seenStatuses.size} paths, ${calls} kinds of responses, ${violations.length} violations`,
);
for (const violation of violations) {
  console.log(violation);
}
process.exitCode = violations.length === 0 ? 0 : 1;
