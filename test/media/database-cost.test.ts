import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import wranglerToml from "../../wrangler.toml?raw";
import { importMedia, mediaStatement, sweepMedia } from "#media/index.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { createTestContext } from "./test-context.ts";
import { concatBytes, sample } from "./samples.ts";

/** Items that are nobody's business in the test but stand in the same tables. */
async function fill(count: number): Promise<void> {
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO media (id, user_id, workspace_id, state, type, content_type, filename, size_bytes, sha256, facts, created_at, sweep_at)
     SELECT lower(hex(randomblob(16))), 'u', 'w', 'ready', 'image', 'image/jpeg', 'x.jpg', 1, hex(randomblob(32)), '{}', 0, 9e15 FROM n`,
  )
    .bind(count)
    .run();
}

describe("the tables are never walked through", () => {
  test("finding, keeping and cleaning read a handful of rows among thousands", async ({ expect }) => {
    await fill(3000);
    const ctx = createTestContext();
    const [item] = await importMedia(ctx, {
      urls: [ctx.internet.set("https://files.example.net/a.png", sample("photo.png"))],
    });
    const found = await mediaStatement(ctx.db, ctx.actor, [item?.id ?? ""]).all();
    expect(found.results).toHaveLength(1);
    expect(found.meta.rows_read).toBeLessThan(5);
  });

  test("a run of the cleaning with nothing to do reads nothing to speak of", async ({ expect }) => {
    await fill(3000);
    const ctx = createTestContext();
    const { d1, count } = countingD1(env.DB);
    await sweepMedia({ ...ctx, db: { ...ctx.db, d1 } });
    expect(count.rowsRead).toBeLessThan(20);
  });
});

describe("trips to the database", () => {
  test("an import takes two when the bytes are new, one when they are known", async ({ expect }) => {
    const ctx = createTestContext();
    const url = ctx.internet.set(
      "https://files.example.net/b.jpg",
      concatBytes(sample("photo.jpg"), crypto.randomUUID()),
    );
    for (const expected of [2, 1]) {
      const { d1, count } = countingD1(env.DB);
      await importMedia({ ...ctx, db: { ...ctx.db, d1 } }, { urls: [url] });
      expect(count.roundTrips).toBe(expected);
    }
  });
});

// That the runtime then does so is shown by `npm run media:network`: here nothing leaves the process.
test("the runtime is asked to keep to the public internet, in production and in the sandbox", ({ expect }) => {
  const flags = wranglerToml.match(/^compatibility_flags = .*$/gm);
  expect(flags).toHaveLength(1);
  expect(flags?.[0]).toContain('"global_fetch_strictly_public"');
});
