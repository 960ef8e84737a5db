import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { DOCUMENT_FILES, DOCUMENT_FOLDERS } from "./build/documents.ts";
import type { WorkerName } from "./build/options.ts";

/**
 * A change to the source code at its mark, the comment `// mutant: NAME`, which moves with the code. The replaced text is between the mark
 * and the next blank line. The mark of a trigger is its `CREATE TRIGGER` in the last migration that has it.
 */
export type Change = {
  /** The name in the mark, if it differs from the name of the patch. */
  readonly at?: string;
} & (
  | { readonly before: string }
  /** Takes the place of the whole statement. */
  | { readonly instead: string }
  /** The first such text after the mark. */
  | { readonly from: string; readonly to: string }
);

export interface Patch {
  readonly name: string;
  readonly changes: readonly Change[];
}

/** The files that have a mark, by their paths below the root; migrations in their order. */
export type Sources = ReadonlyMap<string, string>;

/** The parts of the project that `wrangler dev` needs besides the packages. */
const PARTS_TO_RUN = [
  "src",
  "migrations",
  "wrangler.toml",
  "package.json",
  "tsconfig.json",
  "scripts/assets.ts",
  "scripts/assets",
  "scripts/build.ts",
  "scripts/build",
  "scripts/help.ts",
  "scripts/help",
  ...DOCUMENT_FOLDERS,
  ...DOCUMENT_FILES,
];

const MARK = /\/\/ mutant: (.+)\n/g;
const HAS_MARK = /\/\/ mutant: |^CREATE TRIGGER /m;
const STATEMENT = /^[^]*?;$/m;

export async function readSources(root: string): Promise<Sources> {
  const paths = (await Promise.all(["migrations", "src"].map((folder) => listFiles(root, folder)))).flat();
  const files = await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), "utf8")] as const));
  return new Map(files.filter(([, text]) => HAS_MARK.test(text)));
}

async function listFiles(root: string, folder: string): Promise<readonly string[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  return names
    .filter((name) => /\.(sql|tsx?)$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** The places of every mark: the file and the position after it. */
export function findMarks(sources: Sources): readonly { name: string; file: string; position: number }[] {
  return [...sources].flatMap(([file, text]) =>
    [...text.matchAll(MARK)].flatMap((mark) =>
      (mark[1] ?? "").split(", ").map((name) => ({ name, file, position: mark.index + mark[0].length })),
    ),
  );
}

function placeOf(sources: Sources, name: string): { readonly file: string; readonly position: number } {
  if (name.startsWith("CREATE TRIGGER ")) {
    const file = [...sources.keys()].findLast((path) => sources.get(path)?.includes(`${name} `));
    if (file === undefined) {
      throw new Error(`no migration contains ${name}`);
    }
    return { file, position: sources.get(file)?.lastIndexOf(`${name} `) ?? 0 };
  }
  const [place, second] = findMarks(sources).filter((mark) => mark.name === name);
  if (!place || second) {
    throw new Error(`the comment "mutant: ${name}" must stand in one place of the source code`);
  }
  return place;
}

/** The files that a patch changes, with their new text; throws if a place is missing. */
export function applyPatch(sources: Sources, { name, changes }: Patch): Sources {
  const changed = new Map<string, string>();
  for (const change of changes) {
    const { file, position } = placeOf(new Map([...sources, ...changed]), change.at ?? name);
    const text = changed.get(file) ?? sources.get(file) ?? "";
    const [paragraph = ""] = text.slice(position).split("\n\n", 1);
    const edited = edit(paragraph, change);
    if (edited === paragraph) {
      throw new Error(`mutant ${name}: ${JSON.stringify(change)} changes nothing in ${file}`);
    }
    changed.set(file, text.slice(0, position) + edited + text.slice(position + paragraph.length));
  }
  return changed;
}

function edit(paragraph: string, change: Change): string {
  if ("before" in change) {
    return `${change.before}\n${paragraph}`;
  }
  return "instead" in change
    ? paragraph.replace(STATEMENT, () => change.instead)
    : paragraph.replace(change.from, () => change.to);
}

/** Copies what the service needs to run, and changes the copy. */
export async function createCopy(
  root: string,
  patches: readonly Patch[],
  additionalParts: readonly string[] = [],
): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), `almanac-${patches.at(-1)?.name ?? "unmodified"}-`));
  for (const part of [...PARTS_TO_RUN, ...additionalParts]) {
    await cp(join(root, part), join(copy, part), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  for (const patch of patches) {
    for (const [file, text] of applyPatch(await readSources(copy), patch)) {
      await writeFile(join(copy, file), text);
    }
  }
  return copy;
}

/** Builds Workers of a copy, whose sources never change. Otherwise wrangler builds them at each start, which takes most of the start. */
export async function buildCopy(copy: string, workers: readonly WorkerName[]): Promise<void> {
  const settings = join(copy, "wrangler.toml");
  let text = await readFile(settings, "utf8");
  for (const worker of workers) {
    await promisify(execFile)("npm", ["run", "--silent", "build", "--", worker], { cwd: copy });
    // Without the section the command would be that of production.
    text = text.replace(new RegExp(`(?<=^\\[env\\.${worker}\\.build\\]\n)command = .*\n`, "m"), "");
  }
  await writeFile(settings, text);
}

export const removeCopy = (copy: string): Promise<void> => rm(copy, { recursive: true, force: true });
