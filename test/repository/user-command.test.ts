import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

/** Executes the statements of `wrangler d1 execute DB --json --command <sql>` in a SQLite file beside it, without starting wrangler. */
const WRANGLER_STAND_IN = `#!/usr/bin/env node
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync("database.sqlite");
const sql = process.argv[process.argv.indexOf("--command") + 1];
if (process.argv.includes("unreachable")) {
  console.log(JSON.stringify({ error: { text: "no account is signed in" } }));
  process.exit(1);
}
const outputs = sql.split(";\\n").map((text) => ({ results: database.prepare(text).all(), success: true, meta: {} }));
console.log(JSON.stringify(outputs));
`;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "almanac-user-"));
  const database = new DatabaseSync(path.join(directory, "database.sqlite"));
  const files = (await readdir(path.join(root, "migrations"))).filter((file) => file.endsWith(".sql")).toSorted();
  for (const file of files) {
    database.exec(await readFile(path.join(root, "migrations", file), "utf8"));
  }
  database.close();
  const wrangler = path.join(directory, "node_modules/.bin/wrangler");
  await mkdir(path.dirname(wrangler), { recursive: true });
  await writeFile(wrangler, WRANGLER_STAND_IN);
  await chmod(wrangler, 0o755);
});

afterAll(() => rm(directory, { recursive: true }));

function runUserCommand(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const script = path.join(root, "scripts/user.ts");
    const child = execFile(process.execPath, [script, ...args], { cwd: directory }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe("npm run user", { timeout: 60_000 }, () => {
  test("a database that cannot be reached is told with wrangler's words, without what was to be written", async ({
    expect,
  }) => {
    const result = await runUserCommand("add", "ada@example.com", "--env", "unreachable");
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("the database could not be asked: no account is signed in");
    expect(result.stderr).not.toMatch(/INSERT|SELECT|argon|pbkdf2|ada@example|--command/i);
  });

  test("every subcommand of the usage text does what it says", async ({ expect }) => {
    const examples: readonly [args: string[], output: RegExp][] = [
      [["add", "ada@example.com"], /^user [0-9a-f-]{36}, workspace [0-9a-f-]{36}\npassword \S{20}\n$/],
      [["plan", "ada@example.com", "starter", "past_due"], /^ada@example\.com has the starter plan, past_due\n$/],
      [["key", "ada@example.com", "--days", "never"], /^alk_[0-9A-Za-z]{49}\n$/],
      [["list"], /^[0-9a-f-]{36} {2}ada@example\.com {2}starter past_due until \S+ {2}since \S+\n$/],
    ];
    const { code, stderr: usage } = await runUserCommand();
    expect(code).toBe(2);
    const documented = [...usage.matchAll(/npm run user -- (\S+)/g)].map(([, command]) => command);
    expect(examples.map(([[command]]) => command)).toEqual(documented);
    for (const [args, output] of examples) {
      const result = await runUserCommand(...args);
      expect(result, args.join(" ")).toMatchObject({ code: 0, stderr: "" });
      expect(result.stdout).toMatch(output);
    }
  });

  test.for(["remove", "toString", "printUsers", "add", "plan ada@example.com gold"])(
    "%s is refused with the usage text",
    async (line, { expect }) => {
      const result = await runUserCommand(...line.split(" "));
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toContain("npm run user -- list");
    },
  );
});
