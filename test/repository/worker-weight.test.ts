import { basename, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, test } from "vitest";
import { buildOptions, outputFolder } from "../../scripts/build/options.ts";

/* What is uploaded, and what of it every isolate loads and evaluates when it starts. */

const KIB = 1024;
const START_MAX_BYTES = 320 * KIB;
/**
 * Of 3 MiB that the free plan takes. Each module counts with a compression of its own, so more and smaller ones count more. What a post
 * can hold took the last 24: media in parts, documents, stories, HEIC.
 */
const UPLOAD_MAX_BYTES = 1024 * KIB;

const ROOT = join(import.meta.dirname, "..", "..");
/**
 * Payment, passkeys, the MCP server, the pages, the documentation, the OpenAPI document, what operators ask, what sends requests to platforms,
 * the operations that are called less often, and what index files export for others: most isolates never need them.
 */
const LATER = [
  /node_modules\/stripe\//,
  /node_modules\/@simplewebauthn\//,
  /node_modules\/@peculiar\//,
  /node_modules\/@modelcontextprotocol\//,
  /node_modules\/hono\/dist\/jsx\//,
  /^src\/mcp\//,
  /^src\/dashboard\//,
  /^src\/docs\//,
  /node_modules\/marked\//,
  /^src\/operator\//,
  /^src\/api\/(?:accounts|workspaces|platforms|limits|schedule|approvals|events|webhooks)\//,
  /^src\/(?:accounts\/connect|auth\/users|auth\/sessions)\//,
  /^src\/api\/document\/(?:build|components|describe|descriptions|enum-meanings|webhooks)\.ts$/,
  /^src\/platforms\/[a-z]+\/(?:operator-checks|calls|connect|oauth|account|api|answers|prepare|upload|commit|verify|find-post|refs|extras|errors)\.ts$/,
];

/** The text of every file that is built, by its path. */
let files: ReadonlyMap<string, string>;

interface Module {
  readonly sources: readonly string[];
  readonly gzipBytes: number;
  readonly imports: readonly string[];
}

const modules = new Map<string, Module>();

/** The main module and everything that it reaches without `import()`. */
function atStart(): Module[] {
  const reached = new Set([join(outputFolder("production"), "index.mjs")]);
  for (const name of reached) {
    for (const imported of modules.get(name)?.imports ?? []) {
      reached.add(imported);
    }
  }
  return [...reached].flatMap((name) => modules.get(name) ?? []);
}

const sum = (some: Iterable<Module>): number => [...some].reduce((total, { gzipBytes }) => total + gzipBytes, 0);

beforeAll(async () => {
  const { metafile, outputFiles } = await build(buildOptions(ROOT, "production", "1.0.0"));
  files = new Map(outputFiles.map(({ path, text }) => [relative(ROOT, path), text]));
  for (const [name, { inputs, imports }] of Object.entries(metafile.outputs)) {
    if (name.endsWith(".mjs")) {
      modules.set(name, {
        sources: Object.keys(inputs),
        gzipBytes: gzipSync(files.get(name) ?? "").length,
        imports: imports.filter(({ kind, external }) => kind !== "dynamic-import" && !external).map(({ path }) => path),
      });
    }
  }
});

describe("the weight of the Worker", () => {
  test("what an isolate starts with has no payment, no passkeys, no MCP, no pages, no document, no checks for operators, no calls of platforms and no rare operations", ({
    expect,
  }) => {
    const matching = (some: Iterable<Module>, pattern: RegExp): string[] =>
      [...some].flatMap(({ sources }) => sources.filter((source) => pattern.test(source)));
    for (const pattern of LATER) {
      expect(matching(atStart(), pattern)).toEqual([]);
      expect(matching(modules.values(), pattern), String(pattern)).not.toEqual([]);
    }
  });

  test("what an isolate starts with stays within its budget", ({ expect }) => {
    expect(sum(atStart())).toBeLessThan(START_MAX_BYTES);
  });

  test("the upload stays within its budget", ({ expect }) => {
    expect(sum(modules.values())).toBeLessThan(UPLOAD_MAX_BYTES);
  });

  test("each module has its source map, with the names of our files", ({ expect }) => {
    for (const name of modules.keys()) {
      expect(files.get(name)).toMatch(new RegExp(`^//# sourceMappingURL=${basename(name)}\\.map$`, "mu"));
    }
    expect(files.get(join(outputFolder("production"), "index.mjs.map"))).toContain("/src/service.ts");
  });
});
