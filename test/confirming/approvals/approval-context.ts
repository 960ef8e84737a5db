import { env } from "cloudflare:workers";
import { type Post } from "#posts/index.ts";
import { previewEdit, previewSchedule } from "#confirming/index.ts";
import { type ScheduleInput } from "#planning/index.ts";
import { confirmPreview } from "#confirming/index.ts";
import {
  createTestContext,
  oneHourAhead,
  refusalOf,
  type TestContext,
  type TestContextOptions,
} from "../../posts/test-context.ts";

/** An agent whose previews a person confirms, and that person signed in; both are the same user. */
export interface Parties {
  readonly agent: TestContext;
  readonly person: TestContext;
  /** Another key of the user, which confirms by itself. */
  readonly trusted: TestContext;
  readonly keyId: string;
}

async function insertKey(userId: string, id: string, confirms: "self" | "person"): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO api_keys (id, user_id, name, hash, hint, scopes, created_at, confirms) VALUES (?1, ?2, 'Studio assistant', ?1, 'x', '[]', 1, ?3)`,
  )
    .bind(id, userId, confirms)
    .run();
}

export async function createParties(options: TestContextOptions = {}): Promise<Parties> {
  const [keyId, trustedId] = [crypto.randomUUID(), crypto.randomUUID()];
  const key = (id: string, confirms: "self" | "person") =>
    ({ kind: "api_key", id, name: "Studio assistant", confirms }) as const;
  const agent = createTestContext({ ...options, actor: { ...options.actor, credential: key(keyId, "person") } });
  const { userId, workspaceId } = agent.actor;
  const ofUser = { ...options.actor, userId, workspaceId };
  const person = createTestContext({
    ...options,
    actor: { ...ofUser, credential: { kind: "session", id: "session" }, via: "dashboard" },
  });
  const trusted = createTestContext({ ...options, actor: { ...ofUser, credential: key(trustedId, "self") } });
  await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Studio', 1)")
    .bind(workspaceId, userId)
    .run();
  await Promise.all([insertKey(userId, keyId, "person"), insertKey(userId, trustedId, "self")]);
  return { agent, person, trusted, keyId };
}

export async function revoke({ keyId, agent }: Pick<Parties, "keyId" | "agent">): Promise<void> {
  await env.DB.prepare("UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?2) WHERE id = ?1")
    .bind(keyId, agent.clock.now())
    .run();
}

export interface Requested {
  readonly id: string;
  readonly token: string;
  readonly planHash: string;
}

/** What a refused confirm says of the approval. */
export async function requestWith(agent: TestContext, token: string): Promise<string> {
  const refusal = await refusalOf(confirmPreview(agent, { confirmationToken: token }));
  if (refusal.code !== "approval_required" || !refusal.approval) {
    throw new Error(`the confirm was refused with ${refusal.code}`);
  }
  return refusal.approval.id;
}

export async function planHashOfApproval(id: string): Promise<string> {
  return String(await env.DB.prepare("SELECT plan_hash FROM approvals WHERE id = ?").bind(id).first("plan_hash"));
}

/** Previews a post as the agent and asks for its approval. */
export async function requestPost(
  { agent }: Pick<Parties, "agent">,
  input: Partial<ScheduleInput> & Pick<ScheduleInput, "targets" | "accountIds">,
): Promise<Requested> {
  const { confirmationToken: token } = await previewSchedule(agent, {
    caption: "Hello",
    scheduledAt: oneHourAhead(agent),
    ...input,
  });
  const id = await requestWith(agent, token);
  return { id, token, planHash: await planHashOfApproval(id) };
}

/** The same for a new text of posts. */
export async function requestEdit(
  { agent }: Pick<Parties, "agent">,
  posts: readonly Pick<Post, "id">[],
  caption = "Changed",
): Promise<Requested> {
  const { confirmationToken: token } = await previewEdit(agent, { postIds: posts.map(({ id }) => id), caption });
  const id = await requestWith(agent, token);
  return { id, token, planHash: await planHashOfApproval(id) };
}

export async function stateOf(id: string): Promise<string> {
  return String(await env.DB.prepare("SELECT state FROM approvals WHERE id = ?").bind(id).first("state"));
}

/** How many rows every table has for the user. */
export async function countRows(userId: string, workspaceId: string): Promise<Record<string, number>> {
  const row = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM posts WHERE user_id = ?1) AS posts,
       (SELECT count(*) FROM post_targets t JOIN posts p ON p.id = t.post_id WHERE p.user_id = ?1) AS targets,
       (SELECT count(*) FROM post_media u JOIN media m ON m.id = u.media_id WHERE m.user_id = ?1) AS uses,
       (SELECT count(*) FROM confirmations WHERE user_id = ?1) AS confirmations,
       (SELECT count(*) FROM approvals WHERE user_id = ?1) AS approvals,
       (SELECT count(*) FROM post_days WHERE workspace_id = ?2) AS days,
       (SELECT count(*) FROM login_tokens WHERE user_id = ?1) AS login_tokens`,
  )
    .bind(userId, workspaceId)
    .first<Record<string, number>>();
  return row ?? {};
}
