import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { CLIENT_FOLDER, ROOT } from "./paths.ts";

/* Builds the package: JavaScript by esbuild, types by the compiler, and a tarball of both. */

const TARBALL_FOLDER = join(ROOT, "dist", "clients");

const run = promisify(execFile);

async function compile(): Promise<void> {
  const folder = join(CLIENT_FOLDER, "dist");
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: [join(CLIENT_FOLDER, "src", "index.ts"), join(CLIENT_FOLDER, "src", "node.ts")],
    outdir: folder,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"],
    logLevel: "warning",
  });
  await run(process.execPath, [join(ROOT, "node_modules", "typescript", "bin", "tsc"), "-p", CLIENT_FOLDER]);
  await nameTypesAsJavaScript(folder);
}

/**
 * Renames the imports in declarations, because the compiler leaves `.ts` in them and older compilers do not find those
 * files.
 */
async function nameTypesAsJavaScript(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.name.endsWith(".d.ts")) {
      const path = join(entry.parentPath, entry.name);
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replaceAll(/(?<=["']\.{1,2}\/[^"']*)\.ts(?=["'])/g, ".js"));
    }
  }
}

/** Packs the client as `npm publish` would; returns the path of the tarball. */
export async function packClient(): Promise<string> {
  await compile();
  await mkdir(TARBALL_FOLDER, { recursive: true });
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", TARBALL_FOLDER], { cwd: CLIENT_FOLDER });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  return join(TARBALL_FOLDER, packed?.filename ?? "");
}

/** The bytes of all files in a folder. */
async function sizeOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

export async function pack(): Promise<void> {
  const tarball = await packClient();
  const { size } = await stat(tarball);
  console.log(`${tarball}: ${size} bytes, ${await sizeOfFolder(join(CLIENT_FOLDER, "dist"))} unpacked`);
}
