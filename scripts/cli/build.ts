import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "..", "..");
export const CLI_FOLDER = join(ROOT, "clients", "cli");
export const CLI_FILE = join(CLI_FOLDER, "dist", "almanac.js");

/**
 * The beginning of a bundled module for Node: the line that starts it, and `require` for code that is not written as a
 * module.
 */
const BANNER = `#!/usr/bin/env node
import { createRequire as createRequireOfBundle } from "node:module";
const require = createRequireOfBundle(import.meta.url);`;

/** The folder of the package that a bundled file belongs to. */
function packageFolderOf(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(ROOT, folder, "package.json"), "utf8")) as {
    name: string;
    version: string;
    license: string;
  };
  const texts = await Promise.all(
    ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "LICENCE"].map((file) =>
      readFile(join(ROOT, folder, file), "utf8").catch(() => null),
    ),
  );
  const text = texts.find((candidate) => candidate !== null);
  return `${name} ${version}: ${license}\n\n${text?.trim() ?? "The package has no file with its licence."}\n`;
}

/** Bundles the command line into one file without dependencies, and writes the licences of the bundled code next to it. */
export async function buildCli(): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(CLI_FOLDER, "src", "main.ts")],
    outfile: CLI_FILE,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.12",
    conditions: ["almanac-source"],
    banner: { js: BANNER },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const folders = new Set(Object.keys(metafile.inputs).flatMap((file) => packageFolderOf(file) ?? []));
  const licences = await Promise.all([...folders].toSorted((a, b) => a.localeCompare(b)).map(licenceOf));
  await mkdir(join(CLI_FOLDER, "dist"), { recursive: true });
  await writeFile(join(CLI_FOLDER, "dist", "LICENCES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
  await chmod(CLI_FILE, 0o755);
}
