import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { CLIENT_FOLDER, ROOT } from "./paths.ts";

/* Writes the generated part of the client: its types and calls come from the OpenAPI document. */

const GENERATOR_FOLDER = join(CLIENT_FOLDER, "generator");
const GENERATED_FOLDER = join(CLIENT_FOLDER, "src", "generated");

const run = promisify(execFile);

async function writeDocument(file: string): Promise<void> {
  await run(process.execPath, [join(ROOT, "scripts", "openapi.ts"), file], { cwd: ROOT });
}

async function generateInto(folder: string): Promise<void> {
  if (!existsSync(join(GENERATOR_FOLDER, "node_modules"))) {
    await run("npm", ["ci", "--prefix", GENERATOR_FOLDER, "--ignore-scripts", "--no-audit", "--no-fund"]);
  }
  const document = join(folder, "openapi.json");
  await writeDocument(document);
  await run(process.execPath, [join("node_modules", "@hey-api", "openapi-ts", "bin", "run.js")], {
    cwd: GENERATOR_FOLDER,
    env: { ...process.env, CLIENT_DOCUMENT: document, CLIENT_OUTPUT: join(folder, "generated") },
  });
}

/** Runs `work` with a folder that holds the generated files as they are now. */
async function withGenerated<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "almanac-client-"));
  try {
    await generateInto(folder);
    return await work(join(folder, "generated"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function generate(): Promise<void> {
  await withGenerated(async (folder) => {
    await rm(GENERATED_FOLDER, { recursive: true, force: true });
    await cp(folder, GENERATED_FOLDER, { recursive: true });
  });
}

const filesIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();

/** The files that differ from what the generator writes now. */
export async function findStale(): Promise<readonly string[]> {
  return await withGenerated(async (folder) => {
    const [now, kept] = await Promise.all([filesIn(folder), filesIn(GENERATED_FOLDER)]);
    const differs = async (file: string): Promise<boolean> =>
      !kept.includes(file) ||
      (await readFile(join(folder, file), "utf8")) !== (await readFile(join(GENERATED_FOLDER, file), "utf8"));
    const stale = kept.filter((file) => !now.includes(file));
    for (const file of now) {
      if (await differs(file)) {
        stale.push(file);
      }
    }
    return stale;
  });
}
