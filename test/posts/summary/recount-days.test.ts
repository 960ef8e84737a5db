import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { DAY } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { type DayCorrection, recountDays } from "#posts/summary/recount-days.ts";
import { expectedDayCounters, storedDayCounters } from "./day-counters.ts";

const TODAY = 21_000;
const db = openDb(env.DB);

let workspace = "";
beforeEach(() => {
  workspace = crypto.randomUUID();
});

interface PlantedPost {
  readonly status: string;
  readonly at: number;
  readonly platforms?: readonly string[];
  /** Milliseconds; the post has one published target. */
  readonly lateMs?: number;
}

async function insertPost({ status, at, platforms = ["x"], lateMs }: PlantedPost): Promise<void> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    `INSERT INTO posts (id, workspace_id, user_id, status, scheduled_at, version, post_type, caption, media, platforms,
       plan_hash, confirm_hash, created_via, created_at, updated_at)
     VALUES (?, ?, 'u', ?, ?, 1, 'text', '', '[]', ?, '', '', 'api', 1, 1)`,
  )
    .bind(id, workspace, lateMs === undefined ? status : "publishing", at, JSON.stringify(platforms))
    .run();
  if (lateMs !== undefined) {
    await env.DB.prepare(
      `INSERT INTO post_targets (post_id, account_id, platform, username, effective_caption, options, state, attempts, due_at, started_at, published_at, history, updated_at)
       VALUES (?1, 'a', 'x', '', '', '{}', 'published', 1, ?2, ?2 + ?3, ?2 + ?3, '[]', 1)`,
    )
      .bind(id, at, lateMs)
      .run();
    await env.DB.prepare("UPDATE posts SET status = ? WHERE id = ?").bind(status, id).run();
  }
}

const hour = (day: number, hours: number) => (TODAY + day) * DAY + hours * (DAY / 24);

async function plantPosts(): Promise<void> {
  await insertPost({ status: "scheduled", at: hour(0, 9), platforms: ["x", "instagram"] });
  await insertPost({ status: "scheduled", at: hour(0, 9) });
  await insertPost({ status: "paused", at: hour(0, 12) });
  await insertPost({ status: "published", at: hour(1, 9), lateMs: 7 });
  await insertPost({ status: "partially_failed", at: hour(1, 9), lateMs: 12_345 });
  await insertPost({ status: "failed", at: hour(3, 9) });
  await insertPost({ status: "cancelled", at: hour(4, 9) });
}

const storedRows = async () =>
  (await env.DB.prepare("SELECT * FROM post_days WHERE workspace_id = ? ORDER BY day").bind(workspace).all()).results;

/** Storage is shared with other tests, whose days are recounted as well. */
async function recount(): Promise<{ corrections: DayCorrection[]; days: number }> {
  const corrections: DayCorrection[] = [];
  const { days } = await recountDays({ db }, (correction) => corrections.push(correction));
  return { corrections: corrections.filter((one) => one.workspaceId === workspace), days };
}

const plant = (sql: string) => env.DB.prepare(sql).bind(workspace).run();

describe("recountDays", () => {
  test("changes nothing where the triggers counted", async ({ expect }) => {
    await plantPosts();
    const before = await storedRows();
    expect((await recount()).corrections).toEqual([]);
    expect(await storedRows()).toEqual(before);
  });

  test("corrects every counter of a day, and says what it was", async ({ expect }) => {
    await plantPosts();
    const right = await storedRows();
    await plant(
      `UPDATE post_days SET scheduled = 7, paused = 0, slots = '{"1":3}', platforms = '{"x":9,"threads":1}' WHERE workspace_id = ? AND day = ${TODAY}`,
    );
    await plant(`UPDATE post_days SET lateness = '{}' WHERE workspace_id = ? AND day = ${TODAY + 1}`);
    const { corrections } = await recount();
    expect(await storedDayCounters(workspace)).toEqual(await expectedDayCounters(workspace));
    expect((await storedRows()).map((row) => JSON.parse(String(row["lateness"])) as unknown)).toEqual(
      right.map((row) => JSON.parse(String(row["lateness"])) as unknown),
    );
    expect(corrections.map(({ day }) => day)).toEqual([TODAY, TODAY + 1]);
    expect(corrections[0]?.changes).toContainEqual({ name: "scheduled", before: 7, after: 2 });
    expect(corrections[0]?.changes.map(({ name }) => name)).toEqual(["scheduled", "paused", "slots", "platforms"]);
    expect(corrections[1]?.changes).toEqual([{ name: "lateness", before: "{}", after: '{"12000":1,"7":1}' }]);
    expect((await recount()).corrections).toEqual([]);
  });

  test("adds the row that a day of posts lacks, and empties the row of a day without posts", async ({ expect }) => {
    await plantPosts();
    await plant(`DELETE FROM post_days WHERE workspace_id = ? AND day = ${TODAY + 3}`);
    await plant(`INSERT INTO post_days (workspace_id, day, scheduled) VALUES (?, ${TODAY + 9}, 4)`);
    const { corrections } = await recount();
    expect(await storedDayCounters(workspace)).toEqual(await expectedDayCounters(workspace));
    expect(corrections.map(({ day }) => day).toSorted((a, b) => a - b)).toEqual([TODAY + 3, TODAY + 9]);
    expect(corrections.find(({ day }) => day === TODAY + 3)?.changes).toContainEqual({
      name: "failed",
      before: null,
      after: 1,
    });
    expect((await recount()).corrections).toEqual([]);
  });

  test("goes through more days than fit into one step", async ({ expect }) => {
    for (let day = 0; day < 45; day += 1) {
      await insertPost({ status: "scheduled", at: hour(day * 2, 9) });
    }
    await plant("DELETE FROM post_days WHERE workspace_id = ? AND day % 4 = 0");
    await plant("UPDATE post_days SET scheduled = 5 WHERE workspace_id = ?");
    expect((await recount()).corrections).toHaveLength(45);
    expect(await storedDayCounters(workspace)).toEqual(await expectedDayCounters(workspace));
  });
});
