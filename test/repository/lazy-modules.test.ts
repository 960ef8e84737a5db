import { join } from "node:path";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const ENTRY = "src/index.ts";
/** Payment, passkeys, the MCP server and the pages: most isolates never need them, and they take time to start. */
const LAZY = [
  /node_modules\/stripe\//,
  /node_modules\/@simplewebauthn\//,
  /node_modules\/@peculiar\//,
  /node_modules\/@modelcontextprotocol\//,
  /node_modules\/hono\/dist\/jsx\//,
  /^src\/mcp\//,
  /^src\/dashboard\//,
];

/** What is evaluated when the Worker starts: everything that the entry reaches without a dynamic import. */
function evaluatedAtStart({ inputs }: Metafile): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [ENTRY];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (!found.has(path)) {
      found.add(path);
      const imports = inputs[path]?.imports ?? [];
      queue.push(
        ...imports.filter(({ kind, external }) => kind !== "dynamic-import" && !external).map((one) => one.path),
      );
    }
  }
  return found;
}

test("an API call evaluates no payment, no passkeys, no MCP and no pages", async () => {
  const { metafile } = await build({
    entryPoints: [join(ROOT, ENTRY)],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    outdir: "unwritten",
    format: "esm",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    loader: { ".md": "text" },
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
    logLevel: "error",
    metafile: true,
  });
  const lazy = (path: string): boolean => LAZY.some((pattern) => pattern.test(path));
  expect([...evaluatedAtStart(metafile)].filter(lazy)).toEqual([]);
  for (const pattern of LAZY) {
    expect(
      Object.keys(metafile.inputs).some((path) => pattern.test(path)),
      String(pattern),
    ).toBe(true);
  }
});
