import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, test } from "vitest";
import { buildOptions, outputFolder, WORKERS } from "../../scripts/build/options.ts";

/* What is uploaded, and what of it every isolate evaluates when it starts. */

const KIB = 1024;
/** Not compressed. */
const START_MAX_BYTES = 1080 * KIB;
/**
 * Of 3 MiB that the free plan takes. What a post can hold took the last 24: media in parts, documents, stories, HEIC.
 */
const UPLOAD_MAX_BYTES = 1024 * KIB;

const ROOT = join(import.meta.dirname, "..", "..");
const MODULE = join(outputFolder("production"), "index.mjs");
/**
 * Payment, passkeys, the MCP server, the pages, the documentation, the OpenAPI document, what operators ask, what sends requests to platforms
 * and the operations that are called less often: most isolates never need them.
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
  /^src\/api\/document\/(?:build|components|describe|descriptions|enum-meanings|webhooks)\.ts$/,
  /^src\/platforms\/[a-z]+\/(?:operator-checks|calls|connect|oauth|account|api|answers|prepare|upload|commit|verify|find-post|refs|extras|errors)\.ts$/,
];

/** The text of every file that is built, by its path. */
let files: ReadonlyMap<string, string>;
let builtBytes: ReadonlyMap<string, number>;
/** The sources that the entry reaches without `import()`. */
let atStart: ReadonlySet<string>;

beforeAll(async () => {
  const { metafile, outputFiles } = await build(buildOptions(ROOT, "production", "1.0.0"));
  files = new Map(outputFiles.map(({ path, text }) => [relative(ROOT, path), text]));
  const inputs = metafile.outputs[MODULE]?.inputs ?? {};
  builtBytes = new Map(Object.entries(inputs).map(([name, { bytesInOutput }]) => [name, bytesInOutput]));
  const reached = new Set([WORKERS.production.entry as string]);
  for (const name of reached) {
    for (const { kind, path, external } of metafile.inputs[name]?.imports ?? []) {
      if (kind !== "dynamic-import" && external !== true) {
        reached.add(path);
      }
    }
  }
  // Of what is only a type nothing is built.
  atStart = new Set([...reached].filter((name) => (builtBytes.get(name) ?? 0) > 0));
});

test("production runs without flags that Cloudflare calls experimental", ({ expect }) => {
  const settings = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  expect(/^compatibility_flags = (.+)$/m.exec(settings)?.[1]).toBe('["nodejs_compat", "global_fetch_strictly_public"]');
});

describe("the weight of the Worker", () => {
  test("it is one module, with its source map and the names of our files", ({ expect }) => {
    expect([...files.keys()].toSorted()).toEqual([MODULE, `${MODULE}.map`]);
    expect(files.get(MODULE)).toMatch(/^\/\/# sourceMappingURL=index\.mjs\.map$/mu);
    expect(files.get(`${MODULE}.map`)).toContain("/src/service.ts");
  });

  test("it has neither the sample posts of the sandbox nor the button for them", async ({ expect }) => {
    const SAMPLES = "/sandbox/sample-posts";
    const { outputFiles } = await build(buildOptions(ROOT, "sandbox", "1.0.0"));
    const sandbox = outputFiles.find(({ path }) => relative(ROOT, path) === join(outputFolder("sandbox"), "index.mjs"));
    expect(sandbox?.text.includes(SAMPLES)).toBe(true);
    expect(files.get(MODULE)?.includes(SAMPLES)).toBe(false);
    expect([...builtBytes.keys()].filter((name) => name.startsWith("src/sandbox/"))).toEqual([]);
  });

  test("what an isolate evaluates when it starts has no payment, no passkeys, no MCP, no pages, no document, no checks for operators, no calls of platforms and no rare operations", ({
    expect,
  }) => {
    const matching = (names: Iterable<string>, pattern: RegExp): string[] =>
      [...names].filter((name) => pattern.test(name));
    for (const pattern of LATER) {
      expect(matching(atStart, pattern)).toEqual([]);
      expect(matching(builtBytes.keys(), pattern), String(pattern)).not.toEqual([]);
    }
  });

  test("what an isolate evaluates when it starts stays within its budget", ({ expect }) => {
    const bytes = [...atStart].reduce((sum, name) => sum + (builtBytes.get(name) ?? 0), 0);
    expect(bytes).toBeLessThan(START_MAX_BYTES);
  });

  test("the upload stays within its budget", ({ expect }) => {
    expect(gzipSync(files.get(MODULE) ?? "").length).toBeLessThan(UPLOAD_MAX_BYTES);
  });
});
