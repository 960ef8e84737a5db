import { join } from "node:path";
import type { BuildOptions } from "esbuild";
import { documentTexts } from "./documents.ts";
import { lighterTwitterText } from "./twitter-text.ts";
import { lighterZod } from "./zod.ts";

/* Builds each Worker as one ES module, in which the code that `import()` names is evaluated when it is first needed. */

/**
 * The Workers that can be built: the service, the service with its sandbox, the simulators alone, and the service as
 * `npm run media:soak` runs it.
 */
export const WORKERS = {
  production: { entry: "src/index.ts", minify: true, failpoints: false },
  sandbox: { entry: "src/index.sandbox.ts", minify: false, failpoints: true },
  simulators: { entry: "src/index.simulators.ts", minify: false, failpoints: false },
  "media-soak": { entry: "scripts/media-soak/entry.ts", minify: false, failpoints: true },
} as const satisfies Record<string, { readonly entry: string; readonly minify: boolean; readonly failpoints: boolean }>;

export type WorkerName = keyof typeof WORKERS;

/** Where a Worker's modules are, below the root; wrangler.toml names their entry. */
export const outputFolder = (name: WorkerName): string => join(".wrangler", "build", name);

export function buildOptions(
  root: string,
  name: WorkerName,
  version?: string,
): BuildOptions & { readonly metafile: true; readonly write: false } {
  const { entry, minify, failpoints } = WORKERS[name];
  return {
    entryPoints: { index: join(root, entry) },
    absWorkingDir: root,
    outdir: outputFolder(name),
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*", "punycode"],
    // The sandbox's sample files are modules of their own, as wrangler gives them to a Worker.
    loader: { ".md": "text", ".bin": "copy" },
    plugins: [lighterZod, lighterTwitterText, documentTexts(root)],
    define: {
      FAILPOINTS: String(failpoints),
      "process.env.NODE_ENV": '"production"',
      ...(version !== undefined && { ALMANAC_VERSION: JSON.stringify(version) }),
    },
    // Wrangler takes `.mjs` files for ES modules without a rule.
    outExtension: { ".js": ".mjs" },
    assetNames: "[name]-[hash]",
    // Minification halves the size; the source maps have the names and lines. Keeping names at run time would cost a
    // call for each function.
    minify,
    sourcemap: "linked",
    metafile: true,
    write: false,
    logLevel: "warning",
  };
}
