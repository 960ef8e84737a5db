import { PLAN_LIMITS } from "#core/plan.ts";
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { sealTokens } from "#accounts/tokens/seal-tokens.ts";
import { createUser } from "#auth/index.ts";
import { type Context, createServices, type Outbound } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import type { ArmResult, ArmHint } from "#core/arming.ts";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import type { PostStatus, TargetState } from "#core/status.ts";
import { openDb } from "#db/client.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { confirmSchedule } from "#confirming/confirm/confirm-schedule.ts";
import { planHashOf } from "#planning/plan/plan-hash.ts";
import { previewSchedule } from "#confirming/preview/preview-schedule.ts";
import { runReconciler } from "#publisher/index.ts";
import { reconcile } from "#publisher/reconcile-overdue.ts";
import { checkDatabase } from "#restore/check-database.ts";
import type { RunnerState, TargetEntry } from "#publisher/journal.ts";
import { PostRunner } from "#publisher/post-runner.ts";
import { rearmPost } from "#publisher/rearm-post.ts";
import { FakePlatform } from "./fake-platform.ts";
import { CrashableStorage } from "./crashable-storage.ts";
import { type D1Failure, type D1Usage, instrumentD1 } from "./instrumented-d1.ts";

/** Far in the future, so that no alarm fires by itself; every test fires its own. */
const START = Date.parse("2030-01-01T12:00:00Z");

const outbound: Outbound = {
  platformFetch: () => Promise.reject(new TypeError("no network in tests")),
  publicFetch: () => Promise.reject(new TypeError("no network in tests")),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

export const TEST_PLATFORMS = ["x", "linkedin", "threads"] as const satisfies readonly Platform[];
export type TestPlatform = (typeof TEST_PLATFORMS)[number];

/** Hides log output: these tests cause failures on purpose. */
export function silenceLogs(): void {
  for (const level of ["info", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation(() => undefined);
  }
}

/** The one value that an object stores. */
export interface StoredJournal extends RunnerState {
  readonly format: number;
  readonly targets: readonly TargetEntry[];
}

export interface PostRecord {
  readonly status: PostStatus;
  readonly version: number;
  readonly scheduledAt: number;
  readonly watchAt: number | null;
  readonly runId: string | null;
  readonly finishedAt: number | null;
}

export interface TargetRecord {
  readonly state: TargetState;
  readonly attempts: number;
  readonly startedAt: number | null;
  readonly publishedAt: number | null;
  readonly nextAttemptAt: number | null;
  readonly remoteId: string | null;
  readonly error: StoredTargetError | null;
  readonly progress: unknown;
  readonly extras: unknown;
  readonly history: readonly StoredAttempt[];
}

/** A user, accounts on in-memory platforms, and the objects of the posts as processes that can be killed. */
export class PublisherHarness {
  now = START;
  readonly x = new FakePlatform("x", () => this.now);
  readonly linkedin = new FakePlatform("linkedin", () => this.now);
  readonly threads = new FakePlatform("threads", () => this.now);
  readonly ctx: Context;
  readonly accounts: Record<TestPlatform, string>;
  /** Rows and round trips of all D1 calls, summed from the results' own metadata. */
  readonly d1Usage: D1Usage = { rowsRead: 0, rowsWritten: 0, roundTrips: 0 };
  /** Replaces the arming of posts. */
  armOverride: ((hint: ArmHint) => Promise<ArmResult>) | undefined;
  /** How the next D1 calls fail, one entry per call. */
  readonly d1Failures: D1Failure[] = [];
  /** Calls whose answer was lost on the way there: each still arrives when the test runs it. */
  readonly lateD1Calls: (() => Promise<unknown>)[] = [];
  private readonly processes = new Map<string, { runner: PostRunner; disk: CrashableStorage }>();
  private readonly deferred: Promise<unknown>[] = [];

  private constructor(
    userId: string,
    workspaceId: string,
    accounts: PublisherHarness["accounts"],
    settings: Record<string, string>,
  ) {
    const credentials = Object.fromEntries(
      TEST_PLATFORMS.flatMap((platform) => [
        [`${platform.toUpperCase()}_CLIENT_ID`, "app"],
        [`${platform.toUpperCase()}_CLIENT_SECRET`, "secret"],
      ]),
    );
    const services = createServices({ ...env, ...credentials, ...settings }, outbound, (work) =>
      this.deferred.push(work),
    );
    const actor: Actor = {
      userId,
      workspaceId,
      plan: "scale",
      limits: PLAN_LIMITS.scale,
      subscribed: true,
      scopes: SCOPES,
      credential: { kind: "api_key", id: "test", name: "test", confirms: "self" },
      via: "api",
      timeZone: "UTC",
      recordsEvents: false,
      workspaceFrom: "user",
      isTrial: false,
    };
    this.ctx = {
      ...services,
      db: openDb(instrumentD1(env.DB, this.d1Usage, this.d1Failures, this.lateD1Calls)),
      clock: { now: () => this.now },
      adapterFor: (platform) =>
        (TEST_PLATFORMS as readonly Platform[]).includes(platform) ? this[platform as "x"].adapter : undefined,
      arm: async (hint) => await (this.armOverride ?? ((one) => this.sync(one)))(hint),
      rearm: async (postId) => await rearmPost(this.ctx, postId),
      inspectRunner: (postId) => this.withProcess(postId, ({ runner }) => Promise.resolve(runner.inspect())),
      actor,
    };
    this.accounts = accounts;
  }

  static async open(settings: Record<string, string> = {}): Promise<PublisherHarness> {
    const services = createServices(env, outbound, () => undefined);
    const email = `${crypto.randomUUID()}@example.com`;
    const { userId, workspaceId } = await createUser(services, {
      email,
      password: null,
      plan: "scale",
      subscription: "active",
    });
    const accounts = { x: "", linkedin: "", threads: "" };
    for (const platform of TEST_PLATFORMS) {
      const connectionId = crypto.randomUUID();
      accounts[platform] = crypto.randomUUID();
      const tokens = { accessToken: "t", refreshToken: null, expiresAt: null, refreshExpiresAt: null, scopes: [] };
      await env.DB.batch([
        env.DB.prepare(
          `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, sealed_tokens, scopes, status, connected_at)
           VALUES (?, ?, ?, ?, ?, 'Ada', ?, '[]', 'active', ?)`,
        ).bind(
          connectionId,
          userId,
          workspaceId,
          platform,
          connectionId,
          await sealTokens(services, connectionId, tokens, START),
          START,
        ),
        env.DB.prepare(
          `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name,
             capabilities, missing_scopes, status, connected_at) VALUES (?, ?, ?, ?, ?, ?, 'ada', 'Ada', '{}', '[]', 'active', ?)`,
        ).bind(accounts[platform], userId, workspaceId, connectionId, platform, connectionId, START),
      ]);
    }
    return new PublisherHarness(userId, workspaceId, accounts, settings);
  }

  /** Adds one more account on a platform, from the same login. */
  async addAccount(platform: TestPlatform): Promise<string> {
    const id = crypto.randomUUID();
    await env.DB.prepare(
      `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name,
         capabilities, missing_scopes, status, connected_at)
       SELECT ?1, user_id, workspace_id, connection_id, platform, ?1, 'ada', 'Ada', '{}', '[]', 'active', connected_at
       FROM accounts WHERE id = ?2`,
    )
      .bind(id, this.accounts[platform])
      .run();
    return id;
  }

  // -------------------------------------------------------------- posts

  /** Creates a post through preview and confirm; due in a minute by default. */
  async createPost(
    options: {
      inMs?: number;
      caption?: string;
      on?: readonly TestPlatform[];
      accountIds?: readonly string[];
    } = {},
  ): Promise<string> {
    const { confirmationToken } = await previewSchedule(this.ctx, {
      caption: options.caption ?? "hello",
      scheduledAt: this.now + (options.inMs ?? 60 * SECOND),
      accountIds: options.accountIds ?? (options.on ?? ["x"]).map((platform) => this.accounts[platform]),
    });
    const { posts } = await confirmSchedule(this.ctx, { confirmationToken });
    await this.flushDeferred();
    return posts[0]!.id;
  }

  /** Attaches media to a post and updates its plan hash, as if it had been confirmed with them. */
  async attachMedia(postId: string, type: "image" | "video"): Promise<void> {
    const id = crypto.randomUUID();
    const sha256 = id.replaceAll("-", "").padEnd(64, "0");
    const contentType = type === "video" ? "video/mp4" : "image/jpeg";
    const item: StoredMediaItem = {
      id,
      type,
      url: `https://media.example.com/${id}/file`,
      contentType,
      sizeBytes: 3,
      width: 1,
      height: 1,
      durationSeconds: null,
      sha256,
    };
    const { results } = await env.DB.prepare("SELECT * FROM post_targets WHERE post_id = ?")
      .bind(postId)
      .all<Record<string, string>>();
    const planHash = await planHashOf({
      postType: type,
      media: [item],
      targets: results.map((row) => ({
        accountId: row["account_id"]!,
        effectiveCaption: row["effective_caption"]!,
        options: JSON.parse(row["options"]!) as JsonObject,
        dueAt: Number(row["due_at"]),
      })),
    });
    await env.MEDIA.put(`media/${sha256}`, "abc");
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at)
         VALUES (?, ?, ?, 'ready', ?, ?, 'file.bin', 3, ?, '{"frameRate":30}', 0, 0)`,
      ).bind(id, this.ctx.actor.userId, this.ctx.actor.workspaceId, type, contentType, sha256),
      env.DB.prepare("UPDATE posts SET media = ?, post_type = ?, plan_hash = ? WHERE id = ?").bind(
        JSON.stringify([item]),
        type,
        planHash,
        postId,
      ),
      env.DB.prepare("INSERT INTO post_media (media_id, post_id) VALUES (?, ?)").bind(id, postId),
    ]);
  }

  platformOf(accountId: string): FakePlatform {
    return this[TEST_PLATFORMS.find((platform) => this.accounts[platform] === accountId) ?? "x"];
  }

  async flushDeferred(): Promise<void> {
    while (this.deferred.length > 0) {
      await Promise.allSettled(this.deferred.splice(0));
    }
  }

  async readPost(postId: string): Promise<PostRecord | null> {
    return await env.DB.prepare(
      `SELECT status, version, scheduled_at AS scheduledAt, watch_at AS watchAt, run_id AS runId, finished_at AS finishedAt
       FROM posts WHERE id = ?`,
    )
      .bind(postId)
      .first<PostRecord>();
  }

  async readTargets(postId: string): Promise<Map<string, TargetRecord>> {
    const { results } = await env.DB.prepare(
      `SELECT account_id, state, attempts, started_at AS startedAt, published_at AS publishedAt, next_attempt_at AS nextAttemptAt,
         remote_id AS remoteId, error, progress, extras, history FROM post_targets WHERE post_id = ?`,
    )
      .bind(postId)
      .all<Record<string, string | null>>();
    return new Map(
      results.map(({ account_id: accountId, error, progress, extras, history, ...row }) => [
        String(accountId),
        {
          ...row,
          error: JSON.parse(error ?? "null"),
          progress: JSON.parse(progress ?? "null"),
          extras: JSON.parse(extras ?? "null"),
          history: JSON.parse(history ?? "[]"),
        } as unknown as TargetRecord,
      ]),
    );
  }

  async readTarget(postId: string, platform: TestPlatform = "x"): Promise<TargetRecord> {
    return (await this.readTargets(postId)).get(this.accounts[platform])!;
  }

  /** Resets the targets in D1, as if the run had crashed before it recorded their results. */
  async eraseTargetResults(postId: string): Promise<void> {
    await env.DB.prepare(
      "UPDATE post_targets SET state = 'pending', attempts = 0, remote_id = NULL, published_at = NULL WHERE post_id = ?",
    )
      .bind(postId)
      .run();
  }

  /** Makes the stored post differ from what was confirmed. */
  async changePlanHash(postId: string): Promise<void> {
    await env.DB.prepare("UPDATE posts SET plan_hash = 'another' WHERE id = ?").bind(postId).run();
  }

  /** One run of the minute cron's part of publishing. */
  async runCron(): Promise<void> {
    await runReconciler(this.ctx, await checkDatabase(this.ctx));
  }

  /** The rows of all tables as they are now; calling the result puts the database back to them. The objects keep what they know. */
  async saveDatabase(): Promise<() => Promise<void>> {
    const saved = await Promise.all(
      ["service", "posts", "post_targets", "post_media", "confirmations", "post_days"].map(async (table) => ({
        table,
        rows: (await env.DB.prepare(`SELECT * FROM ${table}`).all()).results,
      })),
    );
    return async () => {
      await this.flushDeferred();
      await env.DB.batch(
        saved.flatMap(({ table, rows }) => [
          env.DB.prepare(`DELETE FROM ${table}`),
          ...rows.map((row) =>
            env.DB.prepare(
              `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row).fill("?").join(", ")})`,
            ).bind(...Object.values(row)),
          ),
        ]),
      );
    };
  }

  // -------------------------------------------------------------- objects

  /** Lets the service recover by itself after a failure: the cron runs each minute and alarms fire when they are due. */
  async recover(postId: string, minutes = 10): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await reconcile(this.ctx).catch(() => undefined);
      await this.runAlarms(postId, MINUTE).catch(() => undefined);
      this.now += MINUTE;
    }
  }

  async sync(hint: ArmHint): Promise<ArmResult> {
    return await this.withProcess(hint.postId, ({ runner }) => runner.sync(hint));
  }

  /** Fires the alarm whether it is due or not, as the runtime may. */
  async fireAlarm(postId: string): Promise<void> {
    await this.withProcess(postId, ({ runner, disk }) => disk.runAlarm(() => runner.alarm()));
  }

  async alarmAt(postId: string): Promise<number | null> {
    return await this.withProcess(postId, ({ disk }) => disk.getAlarm());
  }

  /** Every key in the object's storage; empty when the object has cleaned up. */
  async storedKeys(postId: string): Promise<string[]> {
    return await this.withProcess(postId, ({ disk }) => Promise.resolve([...disk.kv.list()].map(([key]) => key)));
  }

  /** How often the object has written to its storage since its process started. */
  async storageWrites(postId: string): Promise<Readonly<Record<string, number>>> {
    return await this.withProcess(postId, ({ disk }) => Promise.resolve(disk.writes));
  }

  /** The accounts of which the object's journal has a target. */
  async preparedTargets(postId: string): Promise<string[]> {
    return await this.withProcess(postId, ({ disk }) => {
      const journal = disk.kv.get<StoredJournal>("journal");
      return Promise.resolve((journal?.targets ?? []).map(({ run }) => run.accountId));
    });
  }

  async readStored(postId: string): Promise<StoredJournal | undefined> {
    return await this.withProcess(postId, ({ disk }) => Promise.resolve(disk.kv.get<StoredJournal>("journal")));
  }

  /** Moves the clock to each alarm in turn and fires it, until none is left or the next is more than `untilMs` from now. */
  async runAlarms(postId: string, untilMs = DAY): Promise<void> {
    const endAt = this.now + untilMs;
    for (let turns = 0; turns < 400; turns += 1) {
      const at = await this.alarmAt(postId);
      if (at === null || at > endAt) {
        return;
      }
      this.now = Math.max(this.now, at);
      await this.fireAlarm(postId);
    }
    throw new Error("the object still sets alarms after 400 of them");
  }

  /** Drops the object from memory; storage and alarm stay. */
  evict(postId: string): void {
    this.processes.delete(postId);
  }

  /** Kills the process: unflushed writes may be lost, and every later storage call of it fails. */
  kill(postId: string, loseUnflushed = true): void {
    this.processes.get(postId)?.disk.crash(loseUnflushed);
    this.processes.delete(postId);
  }

  /** From now on every storage call of the object fails, while its process goes on. */
  failStorage(postId: string): void {
    this.processes.get(postId)?.disk.fail();
  }

  killAll(loseUnflushed = true): void {
    for (const postId of Array.from(this.processes.keys())) {
      this.kill(postId, loseUnflushed);
    }
  }

  /** Deletes the alarm but not the storage, as if the runtime had lost it. */
  async loseAlarm(postId: string): Promise<void> {
    this.evict(postId);
    const stub = env.POSTS.get(env.POSTS.idFromName(postId));
    await runInDurableObject(stub, (_instance, state) => state.storage.deleteAlarm());
  }

  /** Changes what the object has stored, as another deployment may have left it: the result replaces all its keys. */
  async changeStored(
    postId: string,
    change: (stored: StoredJournal) => Readonly<Record<string, object>>,
  ): Promise<void> {
    this.evict(postId);
    await this.withProcess(postId, ({ disk }) => {
      const journal = disk.kv.get<StoredJournal>("journal");
      if (!journal) {
        throw new Error("the object has no journal");
      }
      disk.kv.delete("journal");
      for (const [key, value] of Object.entries(change(journal))) {
        disk.kv.put(key, value);
      }
      return Promise.resolve();
    });
    this.evict(postId);
  }

  /** Deletes the object's storage and alarm. */
  async wipeStorage(postId: string): Promise<void> {
    this.evict(postId);
    await this.withProcess(postId, async ({ disk }) => {
      await disk.deleteAll();
    });
    this.evict(postId);
  }

  /** A short wait moves the simulated clock, unless it is aborted first; a long one ends only when it is aborted. */
  private async wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (ms <= this.maxSimulatedWaitMs) {
      setTimeout(resolve, this.waitRealMs);
    }
    await promise;
    if (!signal.aborted) {
      this.now += ms;
    }
  }
  /** Real milliseconds that a short wait gives to concurrent work. */
  waitRealMs = 15;
  maxSimulatedWaitMs = 2 * SECOND;

  private async withProcess<T>(
    postId: string,
    work: (process: { runner: PostRunner; disk: CrashableStorage }) => Promise<T>,
  ): Promise<T> {
    const stub = env.POSTS.get(env.POSTS.idFromName(postId));
    return await runInDurableObject(stub, async (_instance, state) => {
      const disk = this.processes.get(postId)?.disk ?? new CrashableStorage(state.storage);
      const process = this.processes.get(postId) ?? {
        disk,
        runner: new PostRunner(disk, this.ctx, (ms, signal) => this.wait(ms, signal)),
      };
      this.processes.set(postId, process);
      const result = await work(process);
      process.disk.flush();
      return result;
    });
  }
}
