import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { minifyAsset } from "./assets/minify.ts";

/*
 * Writes the style sheets and scripts of the pages, without comments and spaces, to the folder that is served:
 * `npm run assets`. `npm run build` runs it first.
 */

const ROOT = join(import.meta.dirname, "..");
const SOURCES = ["dashboard", "docs"].map((module) => join(ROOT, "src", module, "static"));
const TARGET = join(ROOT, ".wrangler", "assets");

await mkdir(TARGET, { recursive: true });
const files = new Map<string, string>();
for (const folder of SOURCES) {
  for (const name of await readdir(folder)) {
    files.set(name, join(folder, name));
  }
}
// Only the page for trying calls loads these files, which are already minified.
for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"]) {
  files.set(name, join(ROOT, "node_modules", "swagger-ui-dist", name));
}
for (const [name, path] of files) {
  const minified = path.includes("node_modules") ? null : await minifyAsset(name, () => readFile(path, "utf8"));
  // Another service may be serving this folder, so the complete folder replaces it in one step.
  const partial = join(TARGET, `.${name}.${process.pid}`);
  await (minified === null ? cp(path, partial) : writeFile(partial, minified));
  await rename(partial, join(TARGET, name));
}
for (const name of await readdir(TARGET)) {
  if (!name.startsWith(".") && !files.has(name)) {
    await rm(join(TARGET, name));
  }
}
