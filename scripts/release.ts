import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outputFolder } from "./build/options.ts";
import { entryOfTag } from "./release/changelog.ts";
import { type Manifest, unreadyPackages } from "./release/packages.ts";
import { LAST_RELEASE } from "./upgrade/last-release.ts";

/*
 * Builds what a release consists of, from the lock file and without network: `npm run release -- v1.0.0`. In `dist/`: the bundle as a
 * tar file (the modules that run, their source maps, the files of the pages, the migrations, wrangler.toml), the software bill of materials
 * of what is bundled (CycloneDX), the packages of the client and the command line, their checksums, and the changelog's entry as the notes of the release.
 */

const run = (command: string, ...args: string[]): string =>
  execFileSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "inherit"] });

const { name, version } = JSON.parse(readFileSync("package.json", "utf8")) as { name: string; version: string };
const entry = entryOfTag(process.argv[2] ?? "", version, readFileSync("CHANGELOG.md", "utf8"));

const manifests = readdirSync("clients").map(
  (client) => JSON.parse(readFileSync(join("clients", client, "package.json"), "utf8")) as Manifest,
);
const unready = [
  ...unreadyPackages(version, manifests),
  ...(LAST_RELEASE?.tag === `v${version}` ? [] : ["scripts/upgrade/last-release.ts does not name this release"]),
];
if (unready.length > 0) {
  throw new Error(unready.join("\n"));
}

const title = `${name}-${version}`;
const folder = join("dist", title);
rmSync("dist", { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

run("npm", "run", "--silent", "build", "--", "production", "--version", version);
cpSync(outputFolder("production"), join(folder, "worker"), { recursive: true });
for (const path of [
  ".wrangler/assets",
  "migrations",
  "wrangler.toml",
  "CHANGELOG.md",
  "LICENSE",
  "package-lock.json",
]) {
  cpSync(path, join(folder, path.replace(".wrangler/", "")), { recursive: true });
}

// The archive has a fixed time, so that the same commit always gives the same bytes.
const committedAt = run("git", "log", "-1", "--format=%ct").trim();
const tar = ["--sort=name", `--mtime=@${committedAt}`, "--owner=0", "--group=0", "--numeric-owner", "--mode=a+rX,go-w"];
run("tar", ...tar, "--use-compress-program=gzip -n", "-cf", join("dist", `${title}.tar.gz`), "-C", "dist", title);
rmSync(folder, { recursive: true });

const sbom = run(
  "npm",
  "sbom",
  "--package-lock-only",
  "--omit=dev",
  "--sbom-format=cyclonedx",
  "--sbom-type=application",
);
writeFileSync(join("dist", `${title}.cdx.json`), sbom);

run("npm", "run", "--silent", "client", "--", "pack");
cpSync(join("dist", "clients"), "dist", { recursive: true });
rmSync(join("dist", "clients"), { recursive: true });
run("npm", "run", "--silent", "cli", "--", "pack", "dist");

const files = readdirSync("dist").toSorted();
const sha256 = (file: string) =>
  createHash("sha256")
    .update(readFileSync(join("dist", file)))
    .digest("hex");
writeFileSync(join("dist", "SHA256SUMS"), files.map((file) => `${sha256(file)}  ${file}\n`).join(""));
writeFileSync(join("dist", "notes.md"), `${entry.text}\n`);
console.log(`${title} of ${entry.date}: ${files.join(", ")} in dist/`);
