import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { RefusalError } from "#core/errors.ts";
import type { Installation } from "../../scripts/backup/installation.ts";
import { openInstallation } from "../../scripts/backup/open.ts";
import { COMMANDS, commandServices, type Options, UsageError } from "../../scripts/user/commands.ts";
import { NotConfirmedError } from "../../scripts/user/question.ts";

/* With the real local D1. test/deploy has the deployed database. */

const root = path.resolve(import.meta.dirname, "../..");
const DEFAULTS: Options = {
  plan: "growth",
  status: "trialing",
  name: "cli",
  scopes: "all",
  days: "90",
  yes: false,
  now: false,
};
const AT = /\d{4}-\d\d-\d\dT\S+Z/.source;

let folder: string;
let installation: Installation;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "almanac-user-"));
  installation = await openInstallation({ remote: false, "persist-to": folder });
  await installation.migrate();
}, 60_000);

afterAll(async () => {
  await installation.close();
  await rm(folder, { recursive: true });
});

async function run(line: string, options: Partial<Options> = {}) {
  const [name, ...args] = line.split(" ");
  const command = COMMANDS.get(name);
  if (command === undefined) {
    throw new Error(`no command ${name}`);
  }
  const services = commandServices(installation.database);
  const output = await command(services, args, { ...DEFAULTS, ...options });
  await Promise.all(services.deferred);
  return output;
}

/** As it is typed, in a process of its own that has no terminal. */
function typed(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const script = path.join(root, "scripts/user.ts");
    const child = execFile(process.execPath, [script, ...args], { cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
    child.stdin?.end();
  });
}

const count = (sql: string, ...values: string[]) =>
  installation.database
    .prepare(sql)
    .bind(...values)
    .first<number>("n");

describe("a command of npm run user", { timeout: 60_000 }, () => {
  test.for<[string, RegExp, unknown]>([
    ["add ada@example.com", /^user [0-9a-f-]{36}, workspace [0-9a-f-]{36}\npassword \S{20}$/, { password: /^\S{20}$/ }],
    [
      "list",
      new RegExp(`^[0-9a-f-]{36} {2}ada@example\\.com {2}operator {2}growth trialing until ${AT} {2}since ${AT}$`),
      [],
    ],
    [
      "plan ada@example.com starter past_due",
      /^ada@example\.com has the starter plan, past_due$/,
      { plan: "starter", status: "past_due" },
    ],
    [
      "reset-password ada@example.com",
      /^ada@example\.com has a new password and is signed out\npassword \S{20}$/,
      { password: /^\S{20}$/ },
    ],
    ["key ada@example.com", /^alk_[0-9A-Za-z]{49}$/, { key: /^alk_/ }],
    ["keys ada@example.com", /^[0-9a-f-]{36} {2}alk_\S+ {2}cli {2}active, last used never$/, []],
    [
      "revoke-keys ada@example.com",
      /^ended 1 keys, 0 connected apps, 0 webhooks and 0 calendar addresses of ada@example\.com$/,
      { keys: 1, apps: 0 },
    ],
    ["disable ada@example.com", /^ada@example\.com is disabled$/, { disabled: true }],
    ["list", new RegExp(` {2}disabled since ${AT}$`), []],
    ["enable Ada@Example.com", /^ada@example\.com is enabled; keys must be made anew$/, { disabled: false }],
    ["role Ada@example.com operator", /^ada@example\.com has the role operator$/, { role: "operator" }],
    ["role ada@example.com user", /^ada@example\.com has the role user$/, { role: "user" }],
    ["list", / {2}ada@example\.com {2}user {2}starter past_due /, []],
    ["delete ada@example.com", new RegExp(`^ada@example\\.com is erased from ${AT} on$`), { erased_from: /Z$/ }],
  ])("%s says what it did, to people and to programs", async ([line, expected, fields], { expect }) => {
    const { lines, json } = await run(line, { yes: true });
    expect(lines.join("\n")).toMatch(expected);
    for (const [name, value] of Object.entries(fields as object)) {
      const actual = (json as Record<string, unknown>)[name];
      expect(actual).toEqual(value instanceof RegExp ? expect.stringMatching(value) : value);
    }
  });

  test("list and keys have every field, and no secret", async ({ expect }) => {
    await run("add bea@example.com");
    const { key } = (await run("key bea@example.com", { name: "ci", days: "never" })).json as { key: string };
    const instant = expect.stringMatching(AT);
    expect((await run("list")).json).toContainEqual({
      user_id: expect.any(String),
      email: "bea@example.com",
      plan: "growth",
      status: "trialing",
      current_period_end: instant,
      created_at: instant,
      role: expect.toBeOneOf([null, "operator"]),
      disabled_at: null,
    });
    const keys = (await run("keys bea@example.com")).json as { id: string }[];
    expect(keys).toEqual([
      {
        id: expect.any(String),
        name: "ci",
        hint: `${key.slice(0, 8)}…${key.slice(-4)}`,
        scopes: expect.arrayContaining(["posts:read"]),
        created_at: instant,
        expires_at: null,
        last_used_at: null,
        revoked_at: null,
      },
    ]);
    await run("key bea@example.com");
    await run(`revoke-keys bea@example.com ${keys[0]?.id}`, { yes: true });
    const left = (await run("keys bea@example.com")).json as { id: string; revoked_at: string | null }[];
    expect(left.map(({ id, revoked_at: at }) => [id === keys[0]?.id, at !== null])).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  test("role makes a user an operator, and no longer", async ({ expect }) => {
    await run("add gil@example.com");
    const roleOf = async () =>
      ((await run("list")).json as { email: string; role: string | null }[]).find(
        ({ email }) => email === "gil@example.com",
      )?.role;
    await run("role gil@example.com operator");
    expect(await roleOf()).toBe("operator");
    await run("role gil@example.com user");
    expect(await roleOf()).toBeNull();
    await expect(run("role gil@example.com owner")).rejects.toThrow("the role is one of operator, user");
  });

  test("delete asks the service to erase the user after a week, or with --now at once", async ({ expect }) => {
    await run("add cy@example.com");
    const days = () =>
      installation.database
        .prepare(
          "SELECT round((due_at - requested_at) / 86400000.0) AS n FROM user_deletions d JOIN users u ON u.id = d.user_id WHERE u.email = ?",
        )
        .bind("cy@example.com")
        .first<number>("n");
    await run("delete cy@example.com", { yes: true });
    expect(await days()).toBe(7);
    await run("delete cy@example.com", { yes: true, now: true });
    expect(await days()).toBe(0);
  });

  test.for(["reset-password", "disable", "delete", "revoke-keys"])(
    "%s without a terminal and without --yes does nothing",
    async (command, { expect }) => {
      const email = `${command}@example.com`;
      await run(`add ${email}`);
      await run(`key ${email}`);
      const state = () =>
        count(
          `SELECT password_hash || coalesce(disabled_at, '') || (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id AND revoked_at IS NULL)
           || (SELECT count(*) FROM user_deletions d WHERE d.user_id = u.id) AS n FROM users u WHERE email = ?`,
          email,
        );
      const before = await state();
      await expect(run(`${command} ${email}`)).rejects.toThrow(NotConfirmedError);
      expect(await state()).toBe(before);
    },
  );

  test("an unknown user, an unknown key and wrong arguments are told apart", async ({ expect }) => {
    for (const command of ["plan", "reset-password", "disable", "enable", "key", "keys", "revoke-keys", "delete"]) {
      const line = `${command} nobody@example.com${command === "plan" ? " starter" : ""}`;
      await expect(run(line, { yes: true })).rejects.toThrow("there is no user with this e-mail");
      await expect(run(command)).rejects.toThrow(UsageError);
    }
    await run("add dan@example.com");
    await expect(run("revoke-keys dan@example.com no-such-key", { yes: true })).rejects.toThrow("key not found");
    await expect(run("plan dan@example.com gold")).rejects.toThrow("the plan is one of starter, growth, scale");
    await expect(run("add eve@example.com", { password: "typed into the shell" })).rejects.toThrow(UsageError);
    await expect(run("add dan@example.com")).rejects.toThrow(RefusalError);
  });
});

describe("npm run user", { timeout: 120_000 }, () => {
  test("names its commands, and refuses what it does not know with the usage text", async ({ expect }) => {
    const { code, stdout, stderr: usage } = await typed();
    expect([code, stdout]).toEqual([2, ""]);
    const documented = [...usage.matchAll(/npm run user -- (\S+)/g)].map(([, command]) => command);
    expect(documented).toEqual([...COMMANDS.keys()]);
    for (const args of [["toString"], ["list", "--jason"]]) {
      const result = await typed(...args);
      expect(result).toMatchObject({ code: 2, stdout: "" });
      expect(result.stderr).toContain("npm run user -- list");
    }
  });

  test("exit codes and JSON tell a program what happened", async ({ expect }) => {
    await run("add flo@example.com");
    const at = ["--persist-to", folder, "--json"];
    const listed = await typed("list", ...at);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ email: "flo@example.com" }));
    const unknown = await typed("enable", "nobody@example.com", ...at);
    expect([unknown.code, unknown.stdout]).toEqual([3, ""]);
    expect(JSON.parse(unknown.stderr)).toEqual({
      error: { code: "not_found", message: "there is no user with this e-mail" },
    });
    const unasked = await typed("disable", "flo@example.com", ...at);
    expect([unasked.code, unasked.stdout]).toEqual([4, ""]);
    expect(unasked.stderr).toContain("add --yes if this is meant");
  });

  test("a database without tables is told without what was to be written", async ({ expect }) => {
    const empty = await mkdtemp(path.join(tmpdir(), "almanac-user-"));
    const result = await typed("add", "ada@example.com", "--persist-to", empty);
    await rm(empty, { recursive: true });
    expect(result).toMatchObject({ code: 1, stdout: "" });
    expect(result.stderr).toContain("the database refused: ");
    expect(result.stderr).not.toMatch(/INSERT|SELECT|scrypt|ada@example/i);
  });
});
