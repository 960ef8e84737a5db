import { batch, type FloorEnv, respond, respondNotFound, respondUnknownCredential, sha256 } from "./floor-batch.ts";
import { FLOOR_SQL } from "./floor-sql.ts";

/* The writes of the floor: one batch each, the plan of a preview in KV, and the call of the post's object after the answer. */

const HOUR = 3_600_000;
const LIFETIME_SECONDS = 300;

interface Target {
  readonly account_id: string;
  readonly platform: string;
  readonly username: string;
  readonly platform_options: object;
}

/** The rows that a confirm writes. */
interface Plan {
  readonly id: string;
  readonly caption: string;
  readonly scheduledAt: number;
  readonly planHash: string;
  readonly targets: readonly Target[];
  readonly changes?: readonly object[];
}

/** What previews say about the text of the requests: the length differs from that of the string by the link or by what is escaped. */
const ABOUT_TEXT: Readonly<Record<string, { readonly more: number; readonly limit: number; readonly unit: string }>> = {
  x: { more: -7, limit: 280, unit: "weighted characters" },
  linkedin: { more: 14, limit: 3000, unit: "UTF-16 code units of the text in LinkedIn's format" },
};
const LINK_COSTS = {
  warnings: [
    {
      code: "url_costs_more",
      message: "the text contains a URL (https://example.com/open-house): X charges $0.200 instead of $0.015",
    },
  ],
  cost: { amount_usd: 0.2, reason: "creating a post with a URL in its text" },
};

function presentPlan({ caption, scheduledAt, planHash, targets }: Omit<Plan, "id">) {
  return {
    action: "schedule",
    scheduled_at: new Date(scheduledAt).toISOString(),
    post_type: "text",
    caption,
    targets: targets.map(({ account_id, platform, username, platform_options }) => ({
      account_id,
      platform,
      username,
      effective_caption: caption,
      caption_length: caption.length + (ABOUT_TEXT[platform]?.more ?? 0),
      caption_limit: ABOUT_TEXT[platform]?.limit,
      caption_unit: ABOUT_TEXT[platform]?.unit,
      limits: null,
      platform_options,
      placement: null,
      warnings: platform === "x" ? LINK_COSTS.warnings : [],
      cost: platform === "x" ? LINK_COSTS.cost : null,
      creator: null,
      media_items: null,
      fitted: [],
    })),
    media_items: [],
    external_id: null,
    metadata: {},
    labels: [],
    notes: null,
    warnings: [],
    plan_hash: planHash,
  };
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Stores the plan under a new token. Responds with the preview and the token. */
async function respondWithToken(env: FloorEnv, preview: object, plan: Plan): Promise<Response> {
  const token = toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  await env.TOKENS.put(`ct:${await sha256(token)}`, JSON.stringify(plan), { expirationTtl: LIFETIME_SECONDS });
  const expiresAt = new Date(Date.now() + LIFETIME_SECONDS * 1000).toISOString();
  return respond(
    JSON.stringify({ preview, confirmation_token: token, expires_at: expiresAt, expires_in: LIFETIME_SECONDS }),
  );
}

/** The hash of what is going to be published. */
async function planHashOf(caption: string, scheduledAt: number, targets: readonly Target[]): Promise<string> {
  return await sha256(JSON.stringify({ caption, scheduledAt, targets }));
}

export async function preview(env: FloorEnv, request: Request): Promise<Response> {
  const asked = await request.json<{
    readonly caption: string;
    readonly scheduled_at: string;
    readonly targets: readonly { readonly account_id: string; readonly platform_options?: object }[];
  }>();
  const found = await batch(env, request, (hash, now) => [
    env.DB.prepare(FLOOR_SQL.accounts).bind(hash, JSON.stringify(asked.targets.map(({ account_id }) => account_id))),
    env.DB.prepare(FLOOR_SQL.countPreview).bind(hash, Math.floor(now / HOUR)),
  ]);
  if (found === null) {
    return await respondUnknownCredential(env);
  }
  const accounts = JSON.parse(found.rows[0]?.["accounts"] ?? "[]") as Omit<Target, "platform_options">[];
  const targets = accounts.map((account, index) => ({
    ...account,
    platform_options: asked.targets[index]?.platform_options ?? {},
  }));
  const { caption } = asked;
  const scheduledAt = Date.parse(asked.scheduled_at);
  const planHash = await planHashOf(caption, scheduledAt, targets);
  const plan = { id: crypto.randomUUID(), caption, scheduledAt, planHash, targets };
  return await respondWithToken(env, presentPlan(plan), plan);
}

export async function previewEdit(env: FloorEnv, request: Request): Promise<Response> {
  const { post_ids, caption } = await request.json<{
    readonly post_ids: readonly string[];
    readonly caption: string;
  }>();
  const found = await batch(env, request, (hash, now) => [
    env.DB.prepare(FLOOR_SQL.get).bind(hash, post_ids[0]),
    env.DB.prepare(FLOOR_SQL.countPreview).bind(hash, Math.floor(now / HOUR)),
  ]);
  if (found === null) {
    return await respondUnknownCredential(env);
  }
  const post = JSON.parse(found.rows[0]?.["post"] ?? "{}") as {
    readonly id: string;
    readonly version: number;
    readonly caption: string;
    readonly scheduled_at: string;
    readonly targets: readonly Target[];
  };
  const scheduledAt = Date.parse(post.scheduled_at);
  const { id, version, targets } = post;
  const planHash = await planHashOf(caption, scheduledAt, targets);
  const changes = [{ field: "caption", from: post.caption, to: caption }];
  const plan = { id, caption, scheduledAt, planHash, targets, changes };
  const shown = { action: "edit", posts: [{ id, version, changes, after: presentPlan(plan) }] };
  return await respondWithToken(env, shown, plan);
}

/** Writes the plan of a token. Responds with the token's post as it is then. */
async function write(
  env: FloorEnv,
  ctx: ExecutionContext,
  request: Request,
  statements: (plan: string, now: number, tokenHash: string) => readonly (readonly [sql: string, unknown[]])[],
): Promise<{ readonly post: string; readonly plan: Plan } | Response> {
  const { confirmation_token: token } = await request.json<{ readonly confirmation_token: string }>();
  const tokenHash = await sha256(token);
  const text = await env.TOKENS.get(`ct:${tokenHash}`);
  if (text === null) {
    return respondNotFound();
  }
  const plan = JSON.parse(text) as Plan;
  const found = await batch(env, request, (hash, now) => [
    ...statements(text, now, tokenHash).map(([sql, values]) => env.DB.prepare(sql).bind(hash, ...values)),
    env.DB.prepare(FLOOR_SQL.get).bind(hash, plan.id),
  ]);
  if (found === null) {
    return await respondUnknownCredential(env);
  }
  ctx.waitUntil(env.POSTS.get(env.POSTS.idFromName(plan.id)).sync({ postId: plan.id, at: plan.scheduledAt }));
  return { post: found.rows.at(-1)?.["post"] ?? "null", plan };
}

export async function confirm(env: FloorEnv, ctx: ExecutionContext, request: Request): Promise<Response> {
  const written = await write(env, ctx, request, (plan, now) => [
    [FLOOR_SQL.insertTargets, [plan, now]],
    [FLOOR_SQL.insertPost, [plan, now]],
  ]);
  return written instanceof Response
    ? written
    : respond(`{"posts":[${written.post}],"plan_hash":"${written.plan.planHash}"}`);
}

export async function confirmEdit(env: FloorEnv, ctx: ExecutionContext, request: Request): Promise<Response> {
  const written = await write(env, ctx, request, (plan, now, tokenHash) => [
    [FLOOR_SQL.insertConfirmation, [plan, now, tokenHash]],
    [FLOOR_SQL.updateTargets, [plan, now]],
    [FLOOR_SQL.updatePost, [plan, now]],
  ]);
  return written instanceof Response ? written : respond(`{"posts":[${written.post}]}`);
}

export async function cancel(env: FloorEnv, ctx: ExecutionContext, request: Request, id: string): Promise<Response> {
  const found = await batch(env, request, (hash, now) => [env.DB.prepare(FLOOR_SQL.cancel).bind(hash, id, now)]);
  if (found === null) {
    return await respondUnknownCredential(env);
  }
  ctx.waitUntil(env.POSTS.get(env.POSTS.idFromName(id)).sync(null));
  return found.rows[0] === undefined ? respondNotFound() : respond(`{"id":"${id}","status":"cancelled"}`);
}
