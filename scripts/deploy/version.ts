import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

async function git(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)("git", args)).stdout.trim();
  } catch {
    return "";
  }
}

/** The release as package.json has it; between two releases with the commit, so that one can tell what runs. */
export async function readVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  const commit = await git("rev-parse", "--short=7", "HEAD");
  const isRelease = (await git("tag", "--points-at", "HEAD")).split("\n").includes(`v${version}`);
  return commit === "" || isRelease ? version : `${version}+${commit}`;
}
