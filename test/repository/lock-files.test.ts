import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/* What `npm ci` installs is what was reviewed: every package exact, every archive with its hash. */

interface LockFile {
  readonly packages: Readonly<Record<string, { readonly integrity?: string; readonly link?: boolean }>>;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const ROOT = join(import.meta.dirname, "..", "..");

async function readJson<T>(...path: string[]): Promise<T> {
  return JSON.parse(await readFile(join(ROOT, ...path), "utf8")) as T;
}

describe.each([
  [".", 100],
  ["scripts/judges", 100],
  ["clients/typescript/generator", 40],
])("the packages of %s", (folder, minimum) => {
  test("every entry of the lock file carries its integrity hash", async () => {
    const { packages } = await readJson<LockFile>(folder, "package-lock.json");
    // The others are folders of this repository.
    const entries = Object.entries(packages).filter(
      ([path, { link }]) => path.includes("node_modules/") && link !== true,
    );
    expect(entries.length).toBeGreaterThan(minimum);
    expect(
      entries.filter(([, { integrity }]) => !(integrity ?? "").startsWith("sha512-")).map(([path]) => path),
    ).toEqual([]);
  });

  test("every version is pinned exactly", async () => {
    const { dependencies, devDependencies } = await readJson<Manifest>(folder, "package.json");
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });
});
