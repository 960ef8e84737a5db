import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type Context, createServices } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import type { ArmHint } from "#core/arming.ts";
import { HOUR } from "#core/clock.ts";
import { RefusalError, type Refusal } from "#core/errors.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import type { MediaType } from "#core/status.ts";
import { openDb } from "#db/client.ts";
import type { Adapter } from "#platforms/contract.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import { type EditInput, type ScheduleInput } from "#planning/index.ts";
import { type Post } from "#posts/index.ts";
import { rearmPost } from "#publisher/rearm-post.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { type CountingD1, countingD1 } from "../support/counting-d1.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";

/** A time in the future of the real clock, so that no alarm fires by itself. */
export const NOON = Date.UTC(2030, 4, 15, 12, 0, 0);

export function freezeClock(at = NOON): void {
  vi.useFakeTimers({ toFake: ["Date"], now: at });
}

export interface TestContext extends Context {
  readonly counting: CountingD1;
  /** Every arm hint sent to an object, oldest first. */
  readonly hints: ArmHint[];
  waitForDeferred(): Promise<void>;
}

/** The platform credentials of the operator, the same for every platform. */
const APP = { clientId: "id", clientSecret: "secret", settings: {} };

export interface TestContextOptions {
  readonly adapters?: Partial<Record<Platform, Adapter>>;
  readonly arm?: Context["arm"];
  readonly actor?: Partial<Actor>;
  readonly config?: Partial<Context["config"]>;
}

/** The context of a new user with a workspace of their own. */
/** Random operations with a clock that stands still would reach the limits per hour. */
const UNLIMITED = { ...PLAN_LIMITS.growth, scheduledPosts: 1e6, previewsPerHour: 1e6 };

export function createTestContext(options: TestContextOptions = {}): TestContext {
  const deferred: Promise<unknown>[] = [];
  const hints: ArmHint[] = [];
  const counting = countingD1(env.DB);
  const failedResponse = () => Promise.resolve(new Response(null, { status: 599 }));
  const outbound = {
    platformFetch: failedResponse,
    publicFetch: failedResponse,
    browserUrl: (url: URL) => url,
    trustedMediaOrigin: null,
  };
  const services = createServices(env, outbound, (work) => deferred.push(work));
  const adapters = options.adapters ?? { x: scriptedAdapter("x"), instagram: scriptedAdapter("instagram") };
  const actor: Actor = {
    userId: crypto.randomUUID(),
    workspaceId: crypto.randomUUID(),
    plan: "growth",
    limits: UNLIMITED,
    subscribed: true,
    scopes: [...SCOPES],
    credential: { kind: "api_key", id: crypto.randomUUID(), name: "test", confirms: "self" },
    via: "api",
    timeZone: "UTC",
    recordsEvents: false,
    workspaceFrom: "user",
    isTrial: false,
    ...options.actor,
  };
  const ctx: TestContext = {
    ...services,
    config: { ...services.config, app: () => APP, ...options.config },
    db: openDb(counting.d1),
    adapterFor: (platform) => adapters[platform],
    arm: (hint) => {
      hints.push(hint);
      return options.arm?.(hint) ?? Promise.resolve("armed" as const);
    },
    rearm: (postId: string) => rearmPost(ctx, postId),
    actor,
    counting,
    hints,
    async waitForDeferred() {
      while (deferred.length > 0) {
        await Promise.allSettled(deferred.splice(0));
      }
    },
  };
  return ctx;
}

export interface AccountOptions {
  readonly status?: "active" | "needs_reconnect";
  readonly capabilities?: object;
  readonly missingScopes?: readonly string[];
}

let accountCount = 0;

export async function createAccount(
  ctx: Context,
  platform: Platform = "x",
  options: AccountOptions = {},
): Promise<string> {
  const [id, connectionId] = [ctx.ids.uuid(), ctx.ids.uuid()];
  const { userId, workspaceId } = ctx.actor;
  const { status = "active", capabilities = {}, missingScopes = [] } = options;
  const externalId = `account-${++accountCount}`;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at)
       VALUES (?, ?, ?, ?, ?, 'Ada', '[]', ?, 1)`,
    ).bind(connectionId, userId, workspaceId, platform, externalId, status),
    env.DB.prepare(
      `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name,
         capabilities, missing_scopes, status, connected_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'Ada', ?, ?, ?, 1)`,
    ).bind(
      id,
      userId,
      workspaceId,
      connectionId,
      platform,
      externalId,
      externalId,
      JSON.stringify(capabilities),
      JSON.stringify(missingScopes),
      status,
    ),
  ]);
  return id;
}

/** Creates a stored media item and returns its URL. */
export async function createMedia(
  ctx: Context,
  type: MediaType = "image",
  contentType = type === "image" ? "image/png" : "video/mp4",
) {
  const id = ctx.ids.secretUuid();
  const sha256 = id.replaceAll("-", "").repeat(2);
  await env.DB.prepare(
    `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at)
     VALUES (?, ?, ?, 'ready', ?, ?, 'file.bin', 10, ?, '{"frameRate":30}', 1, 1)`,
  )
    .bind(id, ctx.actor.userId, ctx.actor.workspaceId, type, contentType, sha256)
    .run();
  return { id, url: `${ctx.config.origin}/media/${id}/file.bin`, type };
}

export function oneHourAhead(ctx: Pick<Context, "clock">): number {
  return ctx.clock.now() + HOUR;
}

/** Previews and confirms a post. */
export async function schedulePost(
  ctx: TestContext,
  input: Partial<ScheduleInput> & Pick<ScheduleInput, "targets" | "accountIds">,
): Promise<Post> {
  const { confirmationToken } = await previewSchedule(ctx, {
    caption: "Hello",
    scheduledAt: oneHourAhead(ctx),
    ...input,
  });
  const { posts } = await confirmSchedule(ctx, { confirmationToken });
  await ctx.waitForDeferred();
  return posts[0] as Post;
}

/** The refusal of a call; any other result fails the test. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    if (error instanceof RefusalError) {
      return error.refusal;
    }
    throw error;
  }
  throw new Error("nothing was refused");
}

/** The refusals among the results of parallel calls. */
export function refusalsIn(results: readonly PromiseSettledResult<unknown>[]): Refusal[] {
  return results.flatMap((result) => {
    if (result.status === "fulfilled") {
      return [];
    }
    if (result.reason instanceof RefusalError) {
      return [result.reason.refusal];
    }
    throw result.reason;
  });
}

/** `code param` of every detail. */
export function detailCodes({ details = [] }: Refusal): string[] {
  return details.map(({ code, param }) => (param === undefined ? code : `${code} ${param}`));
}

/** Sets columns directly, for states that only the publisher creates. */
export async function updatePostRow(id: string, columns: Record<string, string | number | null>): Promise<void> {
  const names = Object.keys(columns);
  await env.DB.prepare(`UPDATE posts SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`)
    .bind(...Object.values(columns), id)
    .run();
}

export async function updateTargetRow(
  id: string,
  accountId: string,
  columns: Record<string, string | number | null>,
): Promise<void> {
  const names = Object.keys(columns);
  await env.DB.prepare(
    `UPDATE post_targets SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE post_id = ? AND account_id = ?`,
  )
    .bind(...Object.values(columns), id, accountId)
    .run();
}

export async function readPostRow(id: string): Promise<Record<string, unknown>> {
  return (await env.DB.prepare("SELECT * FROM posts WHERE id = ?").bind(id).first()) ?? {};
}

/** Previews and confirms an edit. */
export async function editPosts(ctx: TestContext, input: EditInput) {
  const { preview, confirmationToken } = await previewEdit(ctx, input);
  const { posts } = await confirmEdit(ctx, { confirmationToken });
  await ctx.waitForDeferred();
  return { preview, posts };
}

/** The plan hash as the publisher computes it from the rows. */
export async function planHashOfRows(id: string): Promise<string> {
  const { results } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?")
    .bind(id)
    .all<Record<string, string>>();
  const stored = await readPostRow(id);
  return planHashOf({
    postType: stored["post_type"] as "text",
    media: JSON.parse(String(stored["media"])),
    targets: results.map((target) => ({
      accountId: String(target["account_id"]),
      effectiveCaption: String(target["effective_caption"]),
      options: JSON.parse(String(target["options"])),
      media: JSON.parse(target["media"] ?? "null"),
      dueAt: Number(target["due_at"]),
    })),
  });
}

export async function updateAccountRow(id: string, columns: Record<string, string | number | null>): Promise<void> {
  const names = Object.keys(columns);
  await env.DB.prepare(`UPDATE accounts SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`)
    .bind(...Object.values(columns), id)
    .run();
}
