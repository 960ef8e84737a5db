import { createHash } from "node:crypto";
import { SCOPES } from "#core/scope.ts";
import type { Topic } from "./attack.ts";
import type { Answer, AttackedService, AttackUser } from "./attacked-service.ts";

/* An agent must not get more permissions than its user allowed, with any of its credentials. */

const REDIRECT_URI = "https://agent.example.com/callback";
const VERIFIER = "w".repeat(43);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");
const UNKNOWN_ID = "11111111-1111-4111-8111-111111111111";

/** Gets an access token with every scope for one resource. */
async function grantToken(service: AttackedService, cookie: string, resource: string): Promise<string> {
  const { json: client } = await service.prepare("POST", "/oauth/register", {
    json: { client_name: "Agent", redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" },
  });
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: SCOPES.join(" "),
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    resource,
  });
  const path = `/oauth/authorize?${String(query)}`;
  const { text } = await service.prepare("GET", path, { cookie });
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const form = new URLSearchParams({ decision: "allow", confirms: "person", csrf_token: csrf });
  for (const scope of SCOPES) {
    form.append("scope", scope);
  }
  const { location } = await service.prepare("POST", path, { cookie, form });
  const { json } = await service.prepare("POST", "/oauth/token", {
    form: {
      grant_type: "authorization_code",
      client_id: client.client_id,
      code: service.addSecret(new URL(location ?? "about:blank").searchParams.get("code") ?? ""),
      code_verifier: VERIFIER,
      resource,
    },
  });
  service.addSecret(json.refresh_token);
  return service.addSecret(json.access_token);
}

/** Changes who confirms for the user's only key. Returns the key's id. */
export async function setConfirms(
  service: AttackedService,
  cookie: string,
  confirms: "self" | "person",
): Promise<string> {
  const { text } = await service.prepare("GET", "/dashboard/keys", { cookie });
  const keyId = /\/dashboard\/keys\/([0-9a-f-]+)\/revoke/.exec(text)?.[1] ?? "";
  await service.prepare("POST", `/dashboard/keys/${keyId}/confirms`, { cookie, form: { confirms } });
  return keyId;
}

/** Creates a user whose key and apps wait for a person, with every credential that an agent can have. */
async function createAgents(service: AttackedService) {
  const user = await service.createUser();
  const cookie = await service.signIn(user);
  const keyId = await setConfirms(service, cookie, "person");
  const credentials: Readonly<Record<string, string>> = {
    "an API key": user.key,
    "a token for the API": await grantToken(service, cookie, `${service.origin}/v1`),
    "a token for the MCP server": await grantToken(service, cookie, `${service.origin}/mcp`),
  };
  const { text: apps } = await service.prepare("GET", "/dashboard/apps", { cookie });
  const grantId = /\/dashboard\/apps\/([0-9a-f-]+)\/revoke/.exec(apps)?.[1] ?? "";
  return { user, cookie, keyId, grantId, credentials };
}

/** The text of the pages for keys and apps, without parts that change with every request. */
async function settingsOf(service: AttackedService, cookie: string): Promise<string> {
  const pages = await Promise.all(
    ["/dashboard/keys", "/dashboard/apps", "/dashboard/plan"].map((path) => service.prepare("GET", path, { cookie })),
  );
  return pages.map(({ text }) => text.replaceAll(/Used <time.*?<\/time>|Never used/g, "")).join("\n");
}

/** Requests the approval of a plan, which then waits for the person. */
export async function requestApproval(service: AttackedService, user: AttackUser, accountId: string): Promise<string> {
  const { json: previewed } = await service.prepare("POST", "/v1/posts/preview", {
    key: user.key,
    json: {
      caption: "Wait",
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
      account_ids: [accountId],
    },
  });
  const { json } = await service.send("POST", "/v1/posts/confirm", {
    key: user.key,
    json: { confirmation_token: service.addSecret(previewed.confirmation_token) },
  });
  return json?.approval?.id ?? "";
}

export const callTool = (service: AttackedService, key: string, name: string, args: object = {}): Promise<Answer> =>
  service.send("POST", "/mcp", {
    key,
    headers: { accept: "application/json, text/event-stream" },
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } },
  });

export default {
  topic: "agents",
  attacks: [
    {
      name: "a token for the API at the MCP server, and the other way round",
      async run(service, log) {
        const { credentials } = await createAgents(service);
        const forApi = credentials["a token for the API"] ?? "";
        const forAgents = credentials["a token for the MCP server"] ?? "";
        log.expectStatus("the API's at /mcp", await callTool(service, forApi, "get_overview"), 401);
        log.expectStatus("the MCP server's at /v1", await service.send("GET", "/v1/posts", { key: forAgents }), 401);
        await service.prepare("GET", "/v1/posts", { key: forApi });
      },
    },
    {
      name: "making keys, changing who confirms, reading the session's pages, changing the plan",
      slow: true,
      async run(service, log) {
        const { cookie, keyId, grantId, credentials } = await createAgents(service);
        const before = await settingsOf(service, cookie);
        const forms: readonly (readonly [path: string, form: Readonly<Record<string, string>>])[] = [
          ["/dashboard/keys", { name: "another", access: "everything", expires_in_days: "never" }],
          [`/dashboard/keys/${keyId}/confirms`, { confirms: "self" }],
          [`/dashboard/keys/${keyId}/rotate`, {}],
          [`/dashboard/keys/${keyId}/revoke`, {}],
          [`/dashboard/apps/${grantId}/confirms`, { confirms: "self" }],
          [`/dashboard/apps/${grantId}/revoke`, {}],
          ["/dashboard/plan/checkout", { plan: "scale" }],
          ["/dashboard/plan/portal", {}],
          ["/dashboard/profile/password", { new_password: "another password" }],
          ["/dashboard/passkeys/options", {}],
          ["/dashboard/passkeys", {}],
        ];
        const pages = ["/dashboard", "/dashboard/keys", "/dashboard/apps", "/dashboard/profile", "/dashboard/plan"];
        const operations = [
          "keys",
          "api_keys",
          `keys/${keyId}`,
          "apps",
          "grants",
          "sessions",
          "users/me",
          "plan",
        ].flatMap((path) => ["GET", "POST", "PUT", "PATCH"].map((method) => [method, `/v1/${path}`] as const));
        for (const [what, key] of Object.entries(credentials)) {
          for (const [path, form] of forms) {
            log.expectStatus(`${path} with ${what}`, await service.send("POST", path, { key, form }), 401);
          }
          for (const path of pages) {
            log.expectStatus(`${path} with ${what}`, await service.send("GET", path, { key }), 401);
          }
          for (const [method, path] of operations) {
            const json = method === "GET" ? undefined : { confirms: "self", plan: "scale", scopes: SCOPES, name: "x" };
            const answer = await service.send(method, path, { key, json });
            log.expectStatus(`${method} ${path} with ${what}`, answer, 401, 404, 405);
          }
        }
        log.expect((await settingsOf(service, cookie)) === before, "nothing changed", "keys, apps or plan changed");
      },
    },
    {
      name: "approving what waits for a person",
      async run(service, log) {
        const { user, credentials } = await createAgents(service);
        const id = await requestApproval(service, user, await service.connect(user));
        log.expect(id !== "", "an approval waits", "confirming with a key that asks a person made no approval");
        for (const [what, key] of Object.entries(credentials)) {
          for (const action of ["", "/approve", "/schedule", "/confirm", "/decline"]) {
            for (const method of ["POST", "PUT", "PATCH"]) {
              const answer = await service.send(method, `/v1/approvals/${id}${action}`, {
                key,
                json: { state: "approved" },
              });
              log.expectStatus(`${method} /v1/approvals/{id}${action} with ${what}`, answer, 401, 404, 405);
            }
            const form = { decision: "schedule", action: "schedule" };
            const answer = await service.send("POST", `/approvals/${id}${action}`, { key, form });
            log.expectStatus(`/approvals/{id}${action} with ${what}`, answer, 303, 401, 403, 404);
          }
        }
        const { json } = await service.prepare("GET", `/v1/approvals/${id}`, { key: user.key });
        log.expect(
          JSON.stringify(json).includes('"pending"'),
          "still pending",
          `the approval is ${JSON.stringify(json)}`,
        );
        const { json: list } = await service.prepare("GET", "/v1/posts", { key: user.key });
        log.expect(list.posts.length === 0, "no post", `${list.posts.length} posts were scheduled`);
      },
    },
    {
      name: "tools for what agents may not do",
      slow: true,
      async run(service, log) {
        const { user, cookie, credentials } = await createAgents(service);
        const before = await settingsOf(service, cookie);
        const names = [
          "approve",
          "approve_post",
          "create_key",
          "set_confirms",
          "change_plan",
          "create_workspace",
          "login",
        ];
        for (const what of ["an API key", "a token for the MCP server"]) {
          const key = credentials[what] ?? "";
          for (const name of names) {
            const { text } = await callTool(service, key, name, { confirms: "self" });
            log.expect(text.includes('"error"'), "no such tool", `${name} with ${what} answered ${text.slice(0, 300)}`);
          }
          for (const more of [{ confirms: "self" }, { approved: true }, { approval_id: UNKNOWN_ID }]) {
            const { text } = await callTool(service, key, "confirm_preview", {
              confirmation_token: "x".repeat(43),
              ...more,
            });
            log.expect(text.includes('"isError":true'), "unknown argument", `${what} answered ${text.slice(0, 300)}`);
          }
        }
        const listed = await service.send("POST", "/mcp", {
          key: user.key,
          headers: { accept: "application/json, text/event-stream" },
          json: { jsonrpc: "2.0", id: 1, method: "tools/list" },
        });
        const tools = [...listed.text.matchAll(/"name":"([a-z_]+)","title"/g)].map(([, name]) => name ?? "");
        const suspicious = tools.filter((name) => /approv|key|grant|session|plan$|billing|password|user/.test(name));
        log.expect(tools.length >= 16 && suspicious.length === 0, "no such tool", `tools: ${tools.join(", ")}`);
        log.expect((await settingsOf(service, cookie)) === before, "nothing changed", "keys, apps or plan changed");
      },
    },
  ],
} satisfies Topic;
