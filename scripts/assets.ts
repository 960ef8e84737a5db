import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { minifyAsset } from "./assets/minify.ts";

/*
 * Writes the style sheets and scripts of the pages, without comments and spaces, to the folder that is served:
 * `npm run assets`. `npm run build` runs it first.
 */

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src", "dashboard", "static");
const TARGET = join(ROOT, ".wrangler", "assets");

await mkdir(TARGET, { recursive: true });
const names = await readdir(SOURCE);
for (const name of names) {
  const minified = await minifyAsset(name, () => readFile(join(SOURCE, name), "utf8"));
  // Renamed when it is complete: another service may be serving this folder.
  const partial = join(TARGET, `.${name}.${process.pid}`);
  await (minified === null ? cp(join(SOURCE, name), partial) : writeFile(partial, minified));
  await rename(partial, join(TARGET, name));
}
for (const name of await readdir(TARGET)) {
  if (!name.startsWith(".") && !names.includes(name)) {
    await rm(join(TARGET, name));
  }
}
