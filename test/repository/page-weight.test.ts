import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { minifyAsset } from "../../scripts/assets/minify.ts";

/* What a browser loads for a page beside its HTML, compressed. */

const SCRIPTS_MAX_BYTES = 8 * 1024;
const STYLES_MAX_BYTES = 5 * 1024;

const DASHBOARD = join(import.meta.dirname, "..", "..", "src", "dashboard");
const files = readdirSync(DASHBOARD, { recursive: true, encoding: "utf8" });

/** The size of a file as it is served (npm run assets). */
async function gzipBytes(file: string): Promise<number> {
  const minified = await minifyAsset(file, () => Promise.resolve(readFileSync(join(DASHBOARD, file), "utf8")));
  return gzipSync(minified ?? "", { level: 9 }).length;
}

async function totalBytes(served: readonly string[]): Promise<number> {
  const sizes = await Promise.all(served.map(gzipBytes));
  return sizes.reduce((total, size) => total + size, 0);
}

/** The style sheets that a page names; `app` is on every page, `lists` on those of the dashboard unless they say otherwise. */
function sheetsOf(page: string): string[][] {
  return [...page.matchAll(/styles: \[([^\]]*)\]/g)].map(([, names]) => {
    const named = [...names!.matchAll(/"([a-z-]+)"/g)].map(([, name]) => name!);
    const hasLists = !/isWide|hasLists=\{false\}/.test(page) && !named.includes("auth") && !named.includes("front");
    return ["app", ...(hasLists ? ["lists"] : []), ...named];
  });
}

describe("page weight", () => {
  test("all scripts together stay below 8 KB", async ({ expect }) => {
    const scripts = files.filter((file) => file.startsWith("static/") && file.endsWith(".js"));
    expect(scripts).toContain("static/app.js");
    expect(await totalBytes(scripts)).toBeLessThan(SCRIPTS_MAX_BYTES);
  });

  test.for(
    files
      .filter((file) => file.endsWith(".tsx"))
      .flatMap((file) =>
        sheetsOf(readFileSync(join(DASHBOARD, file), "utf8")).map((sheets) => [file, sheets.join(", ")] as const),
      ),
  )("the style sheets of %s stay below 5 KB: %s", async ([, sheets], { expect }) => {
    expect(await totalBytes(sheets.split(", ").map((sheet) => `static/${sheet}.css`))).toBeLessThan(STYLES_MAX_BYTES);
  });
});
