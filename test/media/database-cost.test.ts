import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import wranglerToml from "../../wrangler.toml?raw";
import { importMedia, mediaStatement, sweepMedia } from "#media/index.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { createTestContext } from "./test-context.ts";
import { concatBytes, sample } from "./samples.ts";

/** Inserts items of another workspace into the same table. */
async function insertOtherMedia(count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at)
     SELECT lower(hex(randomblob(16))), 'u', 'w', 'ready', 'image', 'image/jpeg', 'x.jpg', 1, hex(randomblob(32)), '{}', 0, 9e15 FROM n`,
  )
    .bind(count)
    .run();
}

describe("queries use indexes", () => {
  test("a lookup reads fewer than five rows among thousands", async ({ expect }) => {
    await insertOtherMedia(3000);
    const ctx = createTestContext();
    const [item] = await importMedia(ctx, {
      urls: [ctx.internet.set("https://files.example.net/a.png", sample("photo.png"))],
    });
    const result = await mediaStatement(ctx.db, ctx.actor, [item?.id ?? ""]).all();
    expect(result.results).toHaveLength(1);
    expect(result.meta.rows_read).toBeLessThan(5);
  });

  test("a sweep with nothing to do reads fewer than twenty rows", async ({ expect }) => {
    await insertOtherMedia(3000);
    const ctx = createTestContext();
    const { d1, count } = countingD1(env.DB);
    await sweepMedia({ ...ctx, db: { ...ctx.db, d1 } });
    expect(count.rowsRead).toBeLessThan(20);
  });
});

describe("database round trips", () => {
  test("an import takes three for new bytes, and two for bytes that are stored already: one counts the fetch before it", async ({
    expect,
  }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(
      "https://files.example.net/b.jpg",
      concatBytes(sample("photo.jpg"), crypto.randomUUID()),
    );
    for (const expected of [3, 2]) {
      const { d1, count } = countingD1(env.DB);
      await importMedia({ ...ctx, db: { ...ctx.db, d1 } }, { urls: [url] });
      expect(count.roundTrips).toBe(expected);
    }
  });
});

// `npm run media:network` shows that the runtime refuses private networks; these tests make no network requests.
test("the runtime is configured for public addresses only, in production and in the sandbox", ({ expect }) => {
  const flags = wranglerToml.match(/^compatibility_flags = .*$/gm);
  expect(flags).toHaveLength(1);
  expect(flags?.[0]).toContain('"global_fetch_strictly_public"');
});
