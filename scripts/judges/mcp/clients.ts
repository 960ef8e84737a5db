import assert from "node:assert/strict";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- members of answers are read as they come
  readonly structuredContent?: any;
}

/** What the journey needs of a client. */
interface AnyClient {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: "judge", version: "1.0.0" };

async function connectV2(origin: string, key: string, negotiates: boolean): Promise<AnyClient> {
  const client = new ClientV2(INFO, negotiates ? { versionNegotiation: { mode: "auto" } } : {});
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new TransportV2(new URL("/mcp", origin), { requestInit: { headers } }));
  const version = client.getNegotiatedProtocolVersion();
  assert.equal(version, negotiates ? "2026-07-28" : "2025-11-25");
  return client;
}

async function connectV1(origin: string, key: string): Promise<AnyClient> {
  const client = new ClientV1(INFO);
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new TransportV1(new URL("/mcp", origin), { requestInit: { headers } }));
  return client;
}

/** List, preview, confirm, edit, confirm, cancel, a bad call and an unknown tool. */
async function journey(client: AnyClient, accountId: string): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })) as Result;
  const { tools } = await client.listTools();
  // Of 23: a person with one workspace has none to switch to.
  assert.equal(tools.length, 22);
  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
  const previewed = await call("preview_post", {
    caption: `A glaze ${crypto.randomUUID()}`,
    scheduled_at: `${day}T18:00`,
    time_zone: "Europe/Berlin",
    account_ids: [accountId],
  });
  assert.equal(previewed.isError, undefined, previewed.content[0]?.text ?? "");
  const confirmed = await call("confirm_preview", {
    confirmation_token: previewed.structuredContent.confirmation_token,
  });
  const [{ id }] = confirmed.structuredContent.posts;
  const edited = await call("preview_edit", { post_ids: [id], shift_minutes: 15 });
  await call("confirm_preview", { confirmation_token: edited.structuredContent.confirmation_token });
  const cancelled = await call("cancel_post", { post_id: id, confirm: true });
  assert.deepEqual(cancelled.structuredContent, { id, status: "cancelled" });
  const refused = await call("preview_post", { text: "Hello", scheduled_at: "tomorrow" });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0]?.text ?? "", /^validation_failed: /);
  await assert.rejects(call("post_now", {}), /post_now/);
}

/** Every client library by every protocol that it speaks. */
export async function runClients(origin: string, key: string, accountId: string): Promise<readonly string[]> {
  const clients: Readonly<Record<string, () => Promise<AnyClient>>> = {
    "client 2.4.0, 2025-11-25": () => connectV2(origin, key, false),
    "client 2.4.0, 2026-07-28": () => connectV2(origin, key, true),
    "sdk 1.32.2": () => connectV1(origin, key),
  };
  const lines: string[] = [];
  for (const [name, connect] of Object.entries(clients)) {
    const started = Date.now();
    const client = await connect();
    await journey(client, accountId);
    await client.close();
    lines.push(`pass  ${name}  ${Date.now() - started} ms`);
  }
  return lines;
}
