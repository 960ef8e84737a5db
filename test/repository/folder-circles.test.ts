import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

/*
 * Folders never need each other: a circle of value imports between folders is one folder in two places. The public face of a module
 * (`index.ts`, registries, lists of operations) stands beside its folders and may import all of them.
 */

const ROOT = join(import.meta.dirname, "..", "..");
const FACE = /^src\/(?:[\w.-]+|[\w-]+\/(?:index|operations|[a-z-]*registry)\.ts)$/;
const IMPORT = /^(?:import|export)\s+(?!type\b)([^;"']*?)\s*(?:from\s+)?"([#.][^"]+)"/gm;

const folderOf = (path: string): string => (FACE.test(path) ? path : dirname(path));

const isOfTypes = (names: string): boolean =>
  /^\{.*\}$/s.test(names) &&
  names
    .slice(1, -1)
    .split(",")
    .every((name) => /^\s*(?:type\s|$)/.test(name));

/** The folders that a folder needs, by name. */
function needs(files: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    for (const [, names = "", specifier = ""] of text.matchAll(IMPORT)) {
      const target = specifier.startsWith("#") ? `src/${specifier.slice(1)}` : join(dirname(path), specifier);
      const [from, to] = [folderOf(path), folderOf(target)];
      if (from !== to && !isOfTypes(names)) {
        graph.set(from, (graph.get(from) ?? new Set()).add(to));
      }
    }
  }
  return graph;
}

/** Every folder that is reached from itself. */
function inCircles(files: ReadonlyMap<string, string>): string[] {
  const graph = needs(files);
  return [...graph.keys()].filter((start) => {
    const reached = new Set<string>();
    const open = [...(graph.get(start) ?? [])];
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      if (!reached.has(folder)) {
        reached.add(folder);
        open.push(...(graph.get(folder) ?? []));
      }
    }
    return reached.has(start);
  });
}

describe("folders", () => {
  test("never need each other", () => {
    const paths = globSync("src/**/*.{ts,tsx}", { cwd: ROOT, exclude: ["src/sandbox/**"] });
    const files = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), "utf8")]));
    expect(needs(files).size).toBeGreaterThan(100);
    expect(inCircles(files)).toEqual([]);
  });

  test("are refused in a circle, with the folders between them", () => {
    const files = new Map([
      ["src/media/fit/planted.ts", 'import { a } from "#media/convert/planted.ts";\n'],
      ["src/media/convert/planted.ts", 'import {\n  type B,\n  b,\n} from "#media/storage/planted.ts";\n'],
      ["src/media/storage/planted.ts", 'export { c } from "#media/fit/planted.ts";\n'],
    ]);
    expect(inCircles(files)).toEqual(["src/media/fit", "src/media/convert", "src/media/storage"]);
  });

  test("may import types of each other, and the public face everything", () => {
    const files = new Map([
      ["src/media/index.ts", 'export { a } from "./fit/planted.ts";\n'],
      [
        "src/media/fit/planted.ts",
        'import type { A } from "#media/convert/planted.ts";\nimport { x } from "./own.ts";\n',
      ],
      ["src/media/convert/planted.ts", 'import { type B } from "#media/fit/planted.ts";\n'],
    ]);
    expect(inCircles(files)).toEqual([]);
  });
});
