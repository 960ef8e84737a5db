import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FOLDERS, forbiddenFor, laterThan, MODULES } from "../../oxlint.config.ts";

/* Every line of the import rule, broken on purpose in a copy of the folders: the linter must refuse each file. */

interface Planted {
  readonly file: string;
  readonly imports: string;
}

const names = Object.keys(MODULES) as (keyof typeof MODULES)[];

/** Every folder inside a module with an order, and what it may not import. */
const folders = (Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]).flatMap((module) =>
  FOLDERS[module].map((folder) => ({ module, folder, later: laterThan(module, folder) })),
);

/** An import of another module as it is written: a file in a folder, or a file beside the modules. */
const specifier = (other: string): string => (other.includes(".") ? `#${other}` : `#${other}/planted.ts`);

const REFUSED: readonly Planted[] = [
  ...names.flatMap((name) => [
    ...forbiddenFor(name).map((other) => ({
      file: `src/${name}/imports-${other.replaceAll(".", "-")}.ts`,
      imports: specifier(other),
    })),
    { file: `src/${name}/imports-parent.ts`, imports: "../planted.ts" },
  ]),
  ...folders.flatMap(({ module, folder, later }) => [
    ...later.map((pattern, index) => ({
      file: `src/${module}/${folder}/imports-later-${index}.ts`,
      imports: pattern.replace(/\*.*$/, "planted.ts"),
    })),
    ...forbiddenFor(module).map((other) => ({
      file: `src/${module}/${folder}/imports-${other.replaceAll(".", "-")}.ts`,
      imports: specifier(other),
    })),
    { file: `src/${module}/${folder}/imports-parent.ts`, imports: "../planted.ts" },
  ]),
  ...forbiddenFor("platforms").map((other) => ({
    file: `src/platforms/x/imports-${other.replaceAll(".", "-")}.ts`,
    imports: specifier(other),
  })),
  { file: "src/platforms/x/imports-parent.ts", imports: "../planted.ts" },
  { file: "src/platforms/x/imports-adapter.ts", imports: "#platforms/threads/planted.ts" },
  { file: "src/platforms/x/nested/imports-sandbox.ts", imports: "#sandbox/planted.ts" },
  ...forbiddenFor("sandbox").map((other) => ({
    file: `src/sandbox/x/imports-${other.replaceAll(".", "-")}.ts`,
    imports: specifier(other),
  })),
  { file: "src/sandbox/x/imports-simulator.ts", imports: "#sandbox/threads/planted.ts" },
];

const ALLOWED: readonly Planted[] = [
  ...names.flatMap((name) =>
    MODULES[name].map((other) => ({
      file: `src/${name}/may-import-${other.replaceAll(".", "-")}.ts`,
      imports: specifier(other),
    })),
  ),
  ...folders.flatMap(({ module, folder }) =>
    FOLDERS[module].slice(0, (FOLDERS[module] as readonly string[]).indexOf(folder) + 1).map((earlier) => ({
      file: `src/${module}/${folder}/may-import-${earlier}.ts`,
      imports: `#${module}/${earlier}/planted.ts`,
    })),
  ),
  { file: "src/platforms/x/may-import-contract.ts", imports: "#platforms/contract.ts" },
  { file: "src/platforms/x/may-import-own.ts", imports: "./planted.ts" },
  { file: "src/sandbox/x/may-import-shared.ts", imports: "#sandbox/contract.ts" },
];

/** Two files that import only a type of each other. */
const CIRCLE = ["src/platforms/circle-a.ts", "src/platforms/circle-b.ts"] as const;

const ROOT = join(import.meta.dirname, "..", "..");
let copy = "";
let refused: ReadonlySet<string> = new Set();
let circular: ReadonlySet<string> = new Set();

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

function lint(folder: string): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  execFile(
    process.execPath,
    [join(ROOT, "node_modules", "oxlint", "bin", "oxlint"), "--format=json", "src"],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
    (error, stdout, stderr) => {
      // The linter exits with 1 when it refuses something, which is what is wanted here.
      if (stdout === "") {
        reject(new Error(`oxlint gave no report: ${stderr}`, { cause: error }));
      } else {
        resolve(JSON.parse(stdout) as Report);
      }
    },
  );
  return promise;
}

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "almanac-import-rules-"));
  await copyFile(join(ROOT, "oxlint.config.ts"), join(copy, "oxlint.config.ts"));
  await copyFile(join(ROOT, "package.json"), join(copy, "package.json"));
  await copyFile(join(ROOT, "tsconfig.json"), join(copy, "tsconfig.json"));
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
  for (const { file, imports } of [...REFUSED, ...ALLOWED]) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    await writeFile(join(copy, file), `import { planted } from "${imports}";\n\nexport const used = planted;\n`);
  }
  for (const [index, file] of CIRCLE.entries()) {
    const other = basename(CIRCLE[1 - index] ?? "");
    await writeFile(
      join(copy, file),
      `import type { Own as Theirs } from "./${other}";\n\nexport type Own = readonly Theirs[];\n`,
    );
  }
  const { diagnostics } = await lint(copy);
  refused = new Set(
    diagnostics.filter(({ code }) => code.includes("no-restricted-imports")).map(({ filename }) => filename),
  );
  circular = new Set(diagnostics.filter(({ code }) => code.includes("no-cycle")).map(({ filename }) => filename));
});

afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
});

const shown = (rows: readonly Planted[]): string[] => rows.map(({ file, imports }) => `${file}: ${imports}`);

test("every import that crosses a boundary is refused", () => {
  expect(REFUSED.length).toBeGreaterThan(names.length);
  expect(shown(REFUSED.filter(({ file }) => !refused.has(file)))).toEqual([]);
});

test("no import that the rule allows is refused", () => {
  expect(shown(ALLOWED.filter(({ file }) => refused.has(file)))).toEqual([]);
});

test("files of the adapter contract that import types of each other are refused", () => {
  expect([...circular]).toEqual(expect.arrayContaining([...CIRCLE]));
});
