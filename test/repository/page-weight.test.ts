import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { minifyAsset } from "../../scripts/assets/minify.ts";

/* What a browser loads for a page beside its HTML, compressed. */

const SCRIPTS_MAX_BYTES = 5 * 1024;
const COMPOSER_SCRIPTS_MAX_BYTES = 16 * 1024;
const STYLES_MAX_BYTES = 5 * 1024;

const SRC = join(import.meta.dirname, "..", "..", "src");
const files = ["dashboard", "docs"].flatMap((module) =>
  readdirSync(join(SRC, module), { recursive: true, encoding: "utf8" }).map((file) => join(module, file)),
);
/** Where a style sheet or script is, by its name. */
const assets = new Map(files.filter((file) => /\/static\//.test(file)).map((file) => [basename(file), file]));

/** The size of a file as it is served (npm run assets). */
async function gzipBytes(file: string): Promise<number> {
  const minified = await minifyAsset(file, () => Promise.resolve(readFileSync(join(SRC, file), "utf8")));
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
    const hasLists =
      !/isWide|hasLists=\{false\}/.test(page) && !["auth", "front", "docs"].some((sheet) => named.includes(sheet));
    return ["app", ...(hasLists ? ["lists"] : []), ...named];
  });
}

/** The scripts that a page names; `app` is on every page. */
function scriptsOf(page: string): string[][] {
  return [...page.matchAll(/scripts: \[([^\]]*)\]/g)].map(([, names]) => [
    "app",
    ...[...names!.matchAll(/"([a-z-]+)"/g)].map(([, name]) => name!),
  ]);
}

describe("page weight", () => {
  test("the scripts of each page of the dashboard stay below 5 KB, those of the composer below 16 KB", async ({
    expect,
  }) => {
    const pages = files
      .filter((file) => file.startsWith("dashboard/") && /\.tsx?$/.test(file))
      .flatMap((file) => scriptsOf(readFileSync(join(SRC, file), "utf8")).map((scripts) => [file, scripts] as const));
    // A few bytes beside a notice.
    expect(new Set(["sent", ...pages.flatMap(([, scripts]) => scripts)])).toEqual(
      new Set(
        [...assets.values()]
          .filter((file) => file.startsWith("dashboard/") && file.endsWith(".js"))
          .map((file) => basename(file, ".js")),
      ),
    );
    for (const [file, scripts] of pages) {
      const bytes = await totalBytes(scripts.map((script) => assets.get(`${script}.js`) ?? script));
      const limit = scripts.includes("composer") ? COMPOSER_SCRIPTS_MAX_BYTES : SCRIPTS_MAX_BYTES;
      expect(bytes, `${file}: ${scripts.join(", ")}`).toBeLessThan(limit);
    }
  });

  test.for(
    files
      .filter((file) => file.endsWith(".tsx"))
      .flatMap((file) =>
        sheetsOf(readFileSync(join(SRC, file), "utf8")).map((sheets) => [file, sheets.join(", ")] as const),
      ),
  )("the style sheets of %s stay below 5 KB: %s", async ([, sheets], { expect }) => {
    expect(await totalBytes(sheets.split(", ").map((sheet) => assets.get(`${sheet}.css`) ?? sheet))).toBeLessThan(
      STYLES_MAX_BYTES,
    );
  });
});
