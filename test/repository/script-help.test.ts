import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };

const ROOT = join(import.meta.dirname, "..", "..");
const PATH = [join(ROOT, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
const scripts = Object.entries(packageFile.scripts);
const own = scripts.filter(([, command]) => command.startsWith("node "));

/** What the script prints; fails unless it ends with 0. */
function helpOf(command: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ stdout: string; stderr: string }>();
  execFile("sh", ["-c", `${command} --help`], { cwd: ROOT, env: { ...process.env, PATH } }, (error, stdout, stderr) => {
    if (error) {
      reject(error);
    } else {
      resolve({ stdout, stderr });
    }
  });
  return promise;
}

describe.concurrent("--help", () => {
  test.for(own)("is answered by npm run %s, which does nothing else", async ([name, command], { expect }) => {
    const { stdout, stderr } = await helpOf(command);
    expect(stdout).toContain(`npm run ${name}`);
    expect(stdout.trim().split("\n").length).toBeGreaterThan(2);
    expect(stderr).toBe("");
    expect(existsSync(join(ROOT, "--help"))).toBe(false);
  });
});

test("a variable of the service in the shell does not change the tests", async ({ expect }) => {
  process.env["ORIGIN"] = "https://almanac.example.org";
  await import("../../vitest.config.ts");
  expect(process.env["ORIGIN"]).toBeUndefined();
});

test("docs/commands.md has every npm script", ({ expect }) => {
  const commands = readFileSync(join(ROOT, "docs", "commands.md"), "utf8");
  const isListed = (name: string) => new RegExp(`^\\| \`npm (?:run )?${name}[\` ]`, "m").test(commands);
  expect(scripts.map(([name]) => name).filter((name) => !isListed(name))).toEqual([]);
});
