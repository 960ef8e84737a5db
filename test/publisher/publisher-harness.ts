import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { sealTokens } from "#accounts/seal-tokens.ts";
import { createUser } from "#auth/index.ts";
import { type Context, createServices, type Outbound } from "#context.ts";
import type { Actor } from "#core/actor.ts";
import type { ArmAnswer, ArmHint } from "#core/arming.ts";
import { DAY, MINUTE, SECOND } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import type { PostStatus, TargetState } from "#core/status.ts";
import type { StoredAttempt, StoredTargetError } from "#db/schema.ts";
import type { StoredMediaItem } from "#db/schema.ts";
import { confirmSchedule } from "#posting/confirm/confirm-schedule.ts";
import { planHashOf } from "#posting/confirm/plan-hash.ts";
import { previewSchedule } from "#posting/preview/preview-schedule.ts";
import { reconcile } from "#publisher/index.ts";
import { PostRunner } from "#publisher/post-runner.ts";
import { FakePlatform } from "./fake-platform.ts";
import { CrashableStorage } from "./crashable-storage.ts";
import { type D1Fault, watched } from "./failing-d1.ts";

/** Far in the future: no alarm fires by itself, every test fires its own. */
const START = Date.parse("2030-01-01T12:00:00Z");

const outbound: Outbound = {
  platformFetch: () => Promise.reject(new TypeError("no network in tests")),
  publicFetch: () => Promise.reject(new TypeError("no network in tests")),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
};

export const WORDS = ["x", "linkedin", "threads"] as const satisfies readonly Platform[];
export type Word = (typeof WORDS)[number];

/** Failures are the point here, so their log lines are not shown. */
export function quiet(): void {
  for (const level of ["info", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation(() => undefined);
  }
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
  readonly history: readonly StoredAttempt[];
}

/** A user, accounts at platforms played in memory, and the objects of the posts as processes that can be killed. */
export class PublisherHarness {
  now = START;
  readonly x = new FakePlatform("x", () => this.now);
  readonly linkedin = new FakePlatform("linkedin", () => this.now);
  readonly threads = new FakePlatform("threads", () => this.now);
  readonly ctx: Context;
  readonly accounts: Record<Word, string>;
  /** Counts of D1 statements' rows, summed from their own reports. */
  readonly rows = { read: 0, written: 0, trips: 0 };
  /** Whoever arms a post gets this answer instead. */
  armInstead: ((hint: ArmHint) => Promise<ArmAnswer>) | undefined;
  /** What D1 does with the next calls, one each: fails before, or does it and loses the answer. */
  readonly d1Faults: D1Fault[] = [];
  private readonly processes = new Map<string, { runner: PostRunner; disk: CrashableStorage }>();
  private readonly deferred: Promise<unknown>[] = [];

  private constructor(
    userId: string,
    workspaceId: string,
    accounts: PublisherHarness["accounts"],
    settings: Record<string, string>,
  ) {
    const credentials = Object.fromEntries(
      WORDS.flatMap((platform) => [
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
      subscribed: true,
      scopes: SCOPES,
      credential: { kind: "api_key", id: "test" },
      via: "api",
    };
    this.ctx = {
      ...services,
      db: { ...services.db, d1: watched(services.db.d1, this.rows, this.d1Faults) },
      clock: { now: () => this.now },
      adapterFor: (platform) =>
        (WORDS as readonly Platform[]).includes(platform) ? this[platform as "x"].adapter : undefined,
      arm: async (hint) => await (this.armInstead ?? ((one) => this.sync(one)))(hint),
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
    for (const platform of WORDS) {
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

  /** One more account at a platform, by the same login. */
  async addAccount(platform: Word): Promise<string> {
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

  /** A post through preview and confirm, due in a minute unless said otherwise. */
  async post(
    over: {
      inMs?: number;
      caption?: string;
      on?: readonly Word[];
      accountIds?: readonly string[];
    } = {},
  ): Promise<string> {
    const { confirmationToken } = await previewSchedule(this.ctx, {
      caption: over.caption ?? "hello",
      scheduledAt: this.now + (over.inMs ?? 60 * SECOND),
      accountIds: over.accountIds ?? (over.on ?? ["x"]).map((platform) => this.accounts[platform]),
    });
    const { posts } = await confirmSchedule(this.ctx, { confirmationToken });
    await this.settled();
    return posts[0]!.id;
  }

  /** Gives a post media and the hash that belongs to them, as if it had been confirmed so. */
  async withMedia(postId: string, type: "image" | "video"): Promise<void> {
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
    ]);
  }

  farEnd(accountId: string): FakePlatform {
    return this[WORDS.find((word) => this.accounts[word] === accountId) ?? "x"];
  }

  async settled(): Promise<void> {
    while (this.deferred.length > 0) {
      await Promise.allSettled(this.deferred.splice(0));
    }
  }

  async read(postId: string): Promise<PostRecord | null> {
    return await env.DB.prepare(
      `SELECT status, version, scheduled_at AS scheduledAt, watch_at AS watchAt, run_id AS runId, finished_at AS finishedAt
       FROM posts WHERE id = ?`,
    )
      .bind(postId)
      .first<PostRecord>();
  }

  async targets(postId: string): Promise<Map<string, TargetRecord>> {
    const { results } = await env.DB.prepare(
      `SELECT account_id, state, attempts, started_at AS startedAt, published_at AS publishedAt, next_attempt_at AS nextAttemptAt,
         remote_id AS remoteId, error, progress, history FROM post_targets WHERE post_id = ?`,
    )
      .bind(postId)
      .all<Record<string, string | null>>();
    return new Map(
      results.map(({ account_id: accountId, error, progress, history, ...row }) => [
        String(accountId),
        {
          ...row,
          error: JSON.parse(error ?? "null"),
          progress: JSON.parse(progress ?? "null"),
          history: JSON.parse(history ?? "[]"),
        } as unknown as TargetRecord,
      ]),
    );
  }

  async target(postId: string, platform: Word = "x"): Promise<TargetRecord> {
    return (await this.targets(postId)).get(this.accounts[platform])!;
  }

  /** Takes back what D1 was told of the targets, as if the run had died before it could tell. */
  async forgetResults(postId: string): Promise<void> {
    await env.DB.prepare(
      "UPDATE post_targets SET state = 'pending', attempts = 0, remote_id = NULL, published_at = NULL WHERE post_id = ?",
    )
      .bind(postId)
      .run();
  }

  /** What is stored no longer is what was confirmed. */
  async changePlanHash(postId: string): Promise<void> {
    await env.DB.prepare("UPDATE posts SET plan_hash = 'another' WHERE id = ?").bind(postId).run();
  }

  // -------------------------------------------------------------- objects

  /** What happens by itself after a failure: the cron runs each minute and alarms fire when they are due. */
  async recover(postId: string, minutes = 10): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      await reconcile(this.ctx).catch(() => undefined);
      await this.run(postId, MINUTE).catch(() => undefined);
      this.now += MINUTE;
    }
  }

  async sync(hint: ArmHint): Promise<ArmAnswer> {
    return await this.inside(hint.postId, ({ runner }) => runner.sync(hint));
  }

  /** Fires the alarm whether it is due or not, as the platform may. */
  async fire(postId: string): Promise<void> {
    await this.inside(postId, ({ runner }) => runner.alarm());
  }

  async alarmAt(postId: string): Promise<number | null> {
    return await this.inside(postId, ({ disk }) => disk.getAlarm());
  }

  /** Everything the object keeps; empty for an object that is gone. */
  async stored(postId: string): Promise<string[]> {
    return await this.inside(postId, ({ disk }) => Promise.resolve([...disk.kv.list()].map(([key]) => key)));
  }

  /** Moves the clock to each alarm in turn and fires it, until the object sleeps past `untilMs` from now or is gone. */
  async run(postId: string, untilMs = DAY): Promise<void> {
    const end = this.now + untilMs;
    for (let turns = 0; turns < 400; turns += 1) {
      const at = await this.alarmAt(postId);
      if (at === null || at > end) {
        return;
      }
      this.now = Math.max(this.now, at);
      await this.fire(postId);
    }
    throw new Error("the object never came to rest");
  }

  /** Memory is gone, storage and alarm stay. */
  evict(postId: string): void {
    this.processes.delete(postId);
  }

  /** The process dies now: what was not flushed may be lost, and nothing it still tries works. */
  kill(postId: string, loseUnflushed = true): void {
    this.processes.get(postId)?.disk.die(loseUnflushed);
    this.processes.delete(postId);
  }

  killAll(loseUnflushed = true): void {
    for (const postId of Array.from(this.processes.keys())) {
      this.kill(postId, loseUnflushed);
    }
  }

  /** The platform forgets the alarm; the storage stays. */
  async loseAlarm(postId: string): Promise<void> {
    this.evict(postId);
    const stub = env.POSTS.get(env.POSTS.idFromName(postId));
    await runInDurableObject(stub, (_instance, state) => state.storage.deleteAlarm());
  }

  /** The storage of the object is lost as well. */
  async wipe(postId: string): Promise<void> {
    this.evict(postId);
    await this.inside(postId, async ({ disk }) => {
      await disk.deleteAll();
    });
    this.evict(postId);
  }

  /** A short wait moves the clock, unless what is waited for beside it ends first; a long one only ends with its signal. */
  private async wait(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (ms <= this.longestWaitMs) {
      setTimeout(resolve, this.patienceMs);
    }
    await promise;
    if (!signal.aborted) {
      this.now += ms;
    }
  }
  /** Real milliseconds that a short wait gives to what runs beside it. */
  patienceMs = 15;
  longestWaitMs = 2 * SECOND;

  private async inside<T>(
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
