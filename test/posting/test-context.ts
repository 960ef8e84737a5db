import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { type Context, createServices } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import type { ArmHint } from "#core/arming.ts";
import { HOUR } from "#core/clock.ts";
import { RefusalError, type Refusal } from "#core/errors.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import type { MediaType } from "#core/status.ts";
import { openDb } from "#db/client.ts";
import type { Adapter } from "#platforms/contract.ts";
import {
  confirmEdit,
  confirmSchedule,
  type EditInput,
  previewEdit,
  type Post,
  previewSchedule,
  type ScheduleInput,
} from "#posting/index.ts";
import { planHashOf } from "#posting/confirm/plan-hash.ts";
import { type CountingD1, countingD1 } from "../support/counting-d1.ts";
import { scriptedAdapter } from "../support/scripted-adapter.ts";

/** A moment in the future of the real clock, so that nothing fires by itself; a quarter past an hour. */
export const NOON = Date.UTC(2030, 4, 15, 12, 0, 0);

export function stopTheClock(at = NOON): void {
  vi.useFakeTimers({ toFake: ["Date"], now: at });
}

export interface House extends Context {
  readonly counting: CountingD1;
  /** Every hint that went to an object, oldest first. */
  readonly hints: ArmHint[];
  settled(): Promise<void>;
}

/** What the operator of the sandbox has at every platform. */
const APP = { clientId: "id", clientSecret: "secret", settings: {} };

export interface HouseOptions {
  readonly adapters?: Partial<Record<Platform, Adapter>>;
  readonly arm?: Context["arm"];
  readonly actor?: Partial<Actor>;
  readonly config?: Partial<Context["config"]>;
}

/** A user with a workspace of their own, and everything the verbs ask for. */
export function house(options: HouseOptions = {}): House {
  const deferred: Promise<unknown>[] = [];
  const hints: ArmHint[] = [];
  const counting = countingD1(env.DB);
  const silent = () => Promise.resolve(new Response(null, { status: 599 }));
  const outbound = {
    platformFetch: silent,
    publicFetch: silent,
    browserUrl: (url: URL) => url,
    trustedMediaOrigin: null,
  };
  const services = createServices(env, outbound, (work) => deferred.push(work));
  const adapters = options.adapters ?? { x: scriptedAdapter("x"), instagram: scriptedAdapter("instagram") };
  const actor: Actor = {
    userId: crypto.randomUUID(),
    workspaceId: crypto.randomUUID(),
    plan: "growth",
    subscribed: true,
    scopes: [...SCOPES],
    credential: { kind: "api_key", id: crypto.randomUUID() },
    via: "api",
    ...options.actor,
  };
  return {
    ...services,
    config: { ...services.config, app: () => APP, ...options.config },
    db: openDb(counting.d1),
    adapterFor: (platform) => adapters[platform],
    arm: (hint) => {
      hints.push(hint);
      return options.arm?.(hint) ?? Promise.resolve("armed" as const);
    },
    actor,
    counting,
    hints,
    async settled() {
      while (deferred.length > 0) {
        await Promise.allSettled(deferred.splice(0));
      }
    },
  };
}

export interface AccountOptions {
  readonly status?: "active" | "needs_reconnect";
  readonly capabilities?: object;
  readonly missingScopes?: readonly string[];
}

let count = 0;

export async function account(ctx: Context, platform: Platform = "x", options: AccountOptions = {}): Promise<string> {
  const [id, connectionId] = [ctx.ids.uuid(), ctx.ids.uuid()];
  const { userId, workspaceId } = ctx.actor;
  const { status = "active", capabilities = {}, missingScopes = [] } = options;
  const external = `person-${++count}`;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at)
       VALUES (?, ?, ?, ?, ?, 'Ada', '[]', ?, 1)`,
    ).bind(connectionId, userId, workspaceId, platform, external, status),
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
      external,
      external,
      JSON.stringify(capabilities),
      JSON.stringify(missingScopes),
      status,
    ),
  ]);
  return id;
}

/** A stored media item; its address. */
export async function media(
  ctx: Context,
  type: MediaType = "image",
  contentType = type === "image" ? "image/png" : "video/mp4",
) {
  const id = ctx.ids.secretUuid();
  const sha256 = id.replaceAll("-", "").repeat(2);
  await env.DB.prepare(
    `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at)
     VALUES (?, ?, ?, 'ready', ?, ?, 'file.bin', 10, ?, '{"kept":true}', 1, 1)`,
  )
    .bind(id, ctx.actor.userId, ctx.actor.workspaceId, type, contentType, sha256)
    .run();
  return { id, url: `${ctx.config.origin}/media/${id}/file.bin`, type };
}

export function inAnHour(ctx: Pick<Context, "clock">): number {
  return ctx.clock.now() + HOUR;
}

/** Preview and confirm in one go. */
export async function schedule(
  ctx: House,
  input: Partial<ScheduleInput> & Pick<ScheduleInput, "targets" | "accountIds">,
): Promise<Post> {
  const { confirmationToken } = await previewSchedule(ctx, { caption: "Hello", scheduledAt: inAnHour(ctx), ...input });
  const { posts } = await confirmSchedule(ctx, { confirmationToken });
  await ctx.settled();
  return posts[0] as Post;
}

/** The refusal a call ends with; anything else fails the test. */
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

/** The refusals among the ends of parallel calls. */
export function refusalsIn(ends: readonly PromiseSettledResult<unknown>[]): Refusal[] {
  return ends.flatMap((end) => {
    if (end.status === "fulfilled") {
      return [];
    }
    if (end.reason instanceof RefusalError) {
      return [end.reason.refusal];
    }
    throw end.reason;
  });
}

/** `code param` of every detail. */
export function details({ details: found = [] }: Refusal): string[] {
  return found.map(({ code, param }) => (param === undefined ? code : `${code} ${param}`));
}

/** Sets columns of a post past every rule; for states that only the publisher makes. */
export async function force(id: string, columns: Record<string, string | number | null>): Promise<void> {
  const names = Object.keys(columns);
  await env.DB.prepare(`UPDATE posts SET ${names.map((name) => `${name} = ?`).join(", ")} WHERE id = ?`)
    .bind(...Object.values(columns), id)
    .run();
}

export async function forceTarget(
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

export async function row(id: string): Promise<Record<string, unknown>> {
  return (await env.DB.prepare("SELECT * FROM posts WHERE id = ?").bind(id).first()) ?? {};
}

/** Preview and confirm of an edit in one go. */
export async function edit(ctx: House, input: EditInput) {
  const { preview, confirmationToken } = await previewEdit(ctx, input);
  const { posts } = await confirmEdit(ctx, { confirmationToken });
  await ctx.settled();
  return { preview, posts };
}

/** The plan hash as the publisher computes it: from the rows. */
export async function hashOfRows(id: string): Promise<string> {
  const { results } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?")
    .bind(id)
    .all<Record<string, string>>();
  const stored = await row(id);
  return planHashOf({
    postType: stored["post_type"] as "text",
    media: JSON.parse(String(stored["media"])),
    targets: results.map((target) => ({
      accountId: String(target["account_id"]),
      effectiveCaption: String(target["effective_caption"]),
      options: JSON.parse(String(target["options"])),
      dueAt: Number(target["due_at"]),
    })),
  });
}
