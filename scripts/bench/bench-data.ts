import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createKey, createUser } from "#auth/index.ts";
import { DAY, systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";
import type { Platform } from "#core/platform.ts";
import { SCOPES } from "#core/scope.ts";
import { openDb } from "#db/client.ts";

const MIGRATIONS = join(import.meta.dirname, "..", "..", "migrations");
interface BenchAccount {
  readonly platform: Platform;
  readonly capabilities: object;
}

const ACCOUNTS = [
  { platform: "x", capabilities: { subscriptionType: "None", verifiedType: "none", protected: false } },
  { platform: "linkedin", capabilities: { kind: "member", canList: false, profile: "userinfo" } },
] as const satisfies readonly BenchAccount[];

export interface BenchUser {
  readonly key: string;
  readonly accountIds: readonly string[];
}

export async function migrate(d1: D1Database): Promise<void> {
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  for (const file of files) {
    const text = await readFile(join(MIGRATIONS, file), "utf8");
    for (const statement of text.split("--> statement-breakpoint")) {
      await d1.prepare(statement.trim()).run();
    }
  }
}

/** Creates a user with an API key and accounts, by default on two platforms. */
export async function createBenchUser(
  d1: D1Database,
  {
    password = null,
    accounts = ACCOUNTS,
  }: { readonly password?: string | null; readonly accounts?: readonly BenchAccount[] } = {},
): Promise<BenchUser> {
  const ids = systemIds(systemClock);
  const services = { db: openDb(d1), clock: systemClock, ids };
  const user = { email: "ada@example.com", password, plan: "scale", subscription: "active" } as const;
  const { userId, workspaceId } = await createUser(services, user);
  const { key } = await createKey(services, { userId, name: "bench", scopes: SCOPES, expiresInDays: null });
  const accountIds: string[] = [];
  for (const [index, { platform, capabilities }] of accounts.entries()) {
    const [id, connectionId] = [ids.uuid(), ids.uuid()];
    const externalId = String(1001 + index);
    await d1.batch([
      d1
        .prepare(
          `INSERT INTO connections (id, user_id, workspace_id, platform, external_id, display_name, scopes, status, connected_at)
           VALUES (?1, ?2, ?3, ?4, ?5, 'Ada Example', '[]', 'active', ?6)`,
        )
        .bind(connectionId, userId, workspaceId, platform, externalId, systemClock.now()),
      d1
        .prepare(
          `INSERT INTO accounts (id, user_id, workspace_id, connection_id, platform, platform_account_id, username, display_name,
             capabilities, missing_scopes, status, connected_at)
           VALUES (?1, ?2, ?3, ?4, ?5, ?8, 'ada_example', 'Ada Example', ?6, '[]', 'active', ?7)`,
        )
        .bind(
          id,
          userId,
          workspaceId,
          connectionId,
          platform,
          JSON.stringify(capabilities),
          systemClock.now(),
          externalId,
        ),
    ]);
    accountIds.push(id);
  }
  return { key, accountIds };
}

/** Copies a scheduled post `count` times to later times; returns the new ids. */
export async function copyPost(
  d1: D1Database,
  postId: string,
  { count, perDay }: { readonly count: number; readonly perDay: number },
): Promise<string[]> {
  const ids = systemIds(systemClock);
  const copies = Array.from({ length: count }, (_, index) => {
    const offsetMs = Math.floor(((index + 1) * DAY) / perDay);
    return { id: ids.uuid(), offsetMs };
  });
  const list = JSON.stringify(copies);
  const shifted = (column: string) => `original.${column} + (copy.value ->> 'offsetMs')`;
  const shiftedColumns = {
    scheduled_at: shifted("scheduled_at"),
    watch_at: shifted("watch_at"),
    due_at: shifted("due_at"),
  };
  const id = "copy.value ->> 'id'";
  await d1.batch([
    d1.prepare(await copyStatement(d1, "posts", { ...shiftedColumns, id })).bind(list, postId),
    d1.prepare(await copyStatement(d1, "post_targets", { ...shiftedColumns, post_id: id })).bind(list, postId),
  ]);
  return copies.map((copy) => copy.id);
}

/** Reads the columns at run time, so that new columns are copied too. */
async function copyStatement(
  d1: D1Database,
  table: string,
  changed: Readonly<Record<string, string>>,
): Promise<string> {
  const { results } = await d1.prepare(`PRAGMA table_info(${table})`).all<{ name: string }>();
  const columns = results.map(({ name }) => name);
  const key = columns.includes("post_id") ? "post_id" : "id";
  return `INSERT INTO ${table} (${columns.join(", ")})
    SELECT ${columns.map((name) => changed[name] ?? `original.${name}`).join(", ")}
    FROM json_each(?1) copy CROSS JOIN ${table} original WHERE original.${key} = ?2`;
}
