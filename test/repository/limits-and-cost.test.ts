import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FREE_DATABASE_BYTES, FREE_PREVIEWS_PER_DAY } from "#metrics/service-limits.ts";
import { OBJECT_GB, PRICES } from "../../scripts/bench/prices.ts";

/* The counts, prices and sums of docs/guide/limits-and-cost.md. */

const ROOT = join(import.meta.dirname, "..", "..");
const TEXT = readFileSync(join(ROOT, "docs", "guide", "limits-and-cost.md"), "utf8");

/** Held exactly by test/journeys/costs-of-a-post.test.ts. */
const COSTS = JSON.parse(readFileSync(join(ROOT, "test", "journeys", "costs.json"), "utf8")) as {
  readonly requests: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly publishing: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly awakeMs: number;
};

/** What a text to so many accounts takes from preview to published. */
function countsOf(targets: "one target" | "two targets") {
  const [preview, confirm] = [COSTS.requests[`preview, ${targets}`], COSTS.requests[`confirm, ${targets}`]];
  const published = COSTS.publishing[targets];
  const sum = (name: string) => (preview?.[name] ?? NaN) + (confirm?.[name] ?? NaN);
  return {
    "Requests to the Worker": 2,
    "D1 rows written": sum("rowsWritten") + (published?.["rowsWritten"] ?? NaN),
    "D1 rows read": sum("rowsRead") + (published?.["rowsRead"] ?? NaN),
    "KV writes": sum("kvWrites"),
    "KV reads": sum("kvReads"),
    "Object requests": sum("objectCalls") + (published?.["alarms"] ?? NaN),
    "Object rows written": published?.["storageRows"],
  };
}

const PRICE_NAMES: Readonly<Record<string, keyof typeof PRICES>> = {
  "Requests to the Worker": "request",
  "D1 rows written": "d1RowWritten",
  "D1 rows read": "d1RowRead",
  "KV writes": "kvWrite",
  "KV reads": "kvRead",
  "Object requests": "objectRequest",
  "Object rows written": "objectRowWritten",
  "Object GB-seconds": "objectGbSecond",
};

/** The rows of the table below a heading, as cells. */
function tableBelow(title: string): readonly (readonly string[])[] {
  return tableIn(TEXT.split(`## ${title}\n`)[1]?.split(/^## /m)[0] ?? "");
}

function tableIn(text: string): readonly (readonly string[])[] {
  const rows = text.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** The first number of a cell: `100,000`, `$0.15`, `10 million`, `25 billion`. */
function numberIn(cell = ""): number {
  const [, digits = "", word] = /(\d[\d,]*(?:\.\d+)?)(?: (million|billion))?/.exec(cell) ?? [];
  return Number(digits.replaceAll(",", "")) * (word === "million" ? 1e6 : word === "billion" ? 1e9 : 1);
}

interface Count {
  readonly post: number;
  readonly idleADay: number;
}

const counts = new Map<string, Count>(
  tableBelow("What a post takes").map(([what = "", post, idle]) => [
    what,
    { post: numberIn(post), idleADay: numberIn(idle) },
  ]),
);
const countOf = (what: string): Count => {
  const count = counts.get(what);
  if (!count) {
    throw new Error(`"${what}" is not counted`);
  }
  return count;
};

const DAYS = 30;

/** Dollars of a month with so many posts. */
function dollars(posts: number): number {
  const use = tableBelow("Prices").map(([what = "", included, price]) => {
    const { post, idleADay } = countOf(what);
    const billed = Math.max(0, posts * post + DAYS * idleADay - numberIn(included));
    return (billed / 1e6) * numberIn(price);
  });
  return 5 + use.reduce((sum, each) => sum + each, 0);
}

describe("limits and cost", () => {
  test("the counts are those of costs.json, or up to a quarter more", () => {
    const { "Object GB-seconds": gbSeconds = NaN, ...others } = Object.fromEntries(
      [...counts].map(([what, { post }]) => [what, post]),
    );
    const counted = countsOf("two targets");
    expect(Object.keys(others)).toEqual(Object.keys(counted));
    for (const [what, count = NaN] of Object.entries(counted)) {
      expect(others[what], what).toBeGreaterThanOrEqual(count);
      expect(others[what], what).toBeLessThanOrEqual(1.25 * count);
    }
    // Awake before the time of the post, and an assumed time for the answers of platforms.
    expect(gbSeconds).toBeGreaterThan((COSTS.awakeMs / 1000) * OBJECT_GB);
    const more =
      (countsOf("two targets")["D1 rows written"] ?? NaN) - (countsOf("one target")["D1 rows written"] ?? NaN);
    expect(more, "Each further account writes three rows more").toBe(3);
  });

  test("the rows of the decision are those that are written, before, at and after the confirm", () => {
    const decision = readFileSync(join(ROOT, "docs", "decisions", "rows-of-a-post.md"), "utf8");
    const written: Record<string, number> = {};
    for (const [, when = "", rows] of tableIn(decision)) {
      written[when] = (written[when] ?? 0) + numberIn(rows);
    }
    const { preview = NaN, confirm = NaN, claim = NaN, result = NaN } = written;
    expect([preview, confirm, claim + result]).toEqual([
      COSTS.requests["preview, one target"]?.["rowsWritten"],
      COSTS.requests["confirm, one target"]?.["rowsWritten"],
      COSTS.publishing["one target"]?.["rowsWritten"],
    ]);
  });

  test("the prices are those of npm run bench", () => {
    const written = tableBelow("Prices").map(([what = "", , price]) => [what, numberIn(price)]);
    const known = Object.entries(PRICE_NAMES).map(([what, name]) => [
      what,
      (PRICES[name].dollars * 1e6) / PRICES[name].per,
    ]);
    expect(Object.fromEntries(written)).toEqual(Object.fromEntries(known));
  });

  test("the free plan's posts a day follow from its limits and the counts", () => {
    const rows = tableBelow("The free plan");
    expect(rows.length).toBeGreaterThan(4);
    for (const [what = "", limit, posts] of rows) {
      const { post, idleADay } = countOf(what);
      expect(numberIn(posts), what).toBe(Math.floor((numberIn(limit) - idleADay) / post / 100) * 100);
    }
  });

  test("the page for operators and the alerts have the free plan's limits from here", () => {
    const [[, , firstToEnd] = []] = tableBelow("The free plan");
    expect(FREE_PREVIEWS_PER_DAY).toBe(numberIn(firstToEnd));
    expect(TEXT).toContain(`\`DATABASE_LIMIT_BYTES=${FREE_DATABASE_BYTES}\``);
  });

  test("they stand in the order in which they end", () => {
    const posts = tableBelow("The free plan").map(([, , cell]) => numberIn(cell));
    expect(posts).toEqual(posts.toSorted((a, b) => a - b));
  });

  test("the paid plan's dollars follow from the prices and the counts", () => {
    const rows = tableBelow("The paid plan");
    expect(rows.length).toBeGreaterThan(2);
    for (const [posts, cost] of rows) {
      expect(numberIn(cost), posts).toBe(Math.round(dollars(numberIn(posts))));
    }
  });
});
