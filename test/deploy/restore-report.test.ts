import { test } from "vitest";
import type { Installation } from "../../scripts/backup/installation.ts";
import { describeLoss } from "../../scripts/restore/report.ts";
import { sqliteD1 } from "../support/sqlite-d1.ts";

const GOAL = { kind: "bookmark", bookmark: "b", at: "2026-11-23T10:00:00.000Z" } as const;

test("a restore announces a merge where it merges: wherever the present has users", async ({ expect }) => {
  const database = sqliteD1();
  const installation = { name: "almanac at Cloudflare", database } as Installation;
  const announced = async (discardsPresent = false) =>
    (await describeLoss(installation, GOAL, { discardsPresent })).join("\n");
  expect(await announced()).toContain("The database has no users, so nothing can be merged:");
  await database
    .prepare("INSERT INTO users (id, email, active_workspace_id, created_at) VALUES ('ada', 'ada@example.com', 'w', 1)")
    .all();
  expect(await announced()).toContain("Merged afterwards, so not lost: 0 posts that were made since");
  expect(await announced(true)).toContain("What was done since is NOT merged:");
});
