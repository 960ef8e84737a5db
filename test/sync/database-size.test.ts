import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import type { Services } from "#context.ts";
import { runCron } from "#sync/index.ts";
import { createTestServices } from "../accounts/test-context.ts";
import { ScriptedPlatform } from "../accounts/scripted-platform.ts";

afterEach(() => void vi.restoreAllMocks());

/** The lines about the size that these runs of the cron log. */
async function linesOf(databaseLimitBytes: number, runs: number): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for (const method of ["info", "error"] as const) {
    vi.spyOn(console, method).mockImplementation(
      (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    );
  }
  const services = createTestServices(new ScriptedPlatform("facebook"));
  const limited: Services = { ...services, config: { ...services.config, databaseLimitBytes } };
  await Promise.all(Array.from({ length: runs }, async () => await runCron(limited)));
  return lines.filter(({ event }) => String(event).startsWith("database."));
}

describe("the size of the database", () => {
  test("is an error in the log once when it reaches 80 % of its limit, and a line once when it is below", async ({
    expect,
  }) => {
    const { meta } = await env.DB.prepare("SELECT 1").all();
    const size = meta.size_after;
    expect(await linesOf(size * 2, 1)).toEqual([]);
    const limit = Math.floor(size * 1.2);
    expect(await linesOf(limit, 8)).toMatchObject([
      { level: "error", event: "database.nearly_full", limit, percent: expect.toSatisfy((n: number) => n >= 80) },
    ]);
    expect(await linesOf(limit, 2)).toEqual([]);
    expect(await linesOf(size * 2, 8)).toMatchObject([{ level: "info", event: "database.no_longer_nearly_full" }]);
    expect(await linesOf(limit, 1)).toHaveLength(1);
  });
});
