import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { buildOptions, outputFolder, type WorkerName, WORKERS } from "./build/options.ts";

/*
 * Builds the module of a Worker: `npm run build -- production|sandbox|simulators [--version 1.0.0]`. Wrangler runs it before every
 * start, deployment and dry run, and whenever a source file changes (`[build]` in wrangler.toml).
 */

const { values, positionals } = parseArgs({ allowPositionals: true, options: { version: { type: "string" } } });
const [name] = positionals;
const isWorker = (text: string | undefined): text is WorkerName => text !== undefined && text in WORKERS;
if (!isWorker(name)) {
  console.error(`npm run build -- ${Object.keys(WORKERS).join("|")}`);
  process.exit(2);
}

const root = process.cwd();
const folder = join(root, outputFolder(name));
const { outputFiles } = await build(buildOptions(root, name, values.version));
await mkdir(folder, { recursive: true });
for (const { path, contents } of outputFiles) {
  const current = await readFile(path).catch(() => null);
  if (current === null || !current.equals(contents)) {
    // Another process may be reading the folder, so the script replaces it only if it changed, and only by a complete
    // one.
    const partial = `${path}.${process.pid}.partial`;
    await writeFile(partial, contents);
    await rename(partial, path);
  }
}
const built = new Set(outputFiles.map(({ path }) => path));
for (const file of await readdir(folder)) {
  const path = join(folder, file);
  if (!file.endsWith(".partial") && !built.has(path)) {
    await rm(path, { force: true });
  }
}
