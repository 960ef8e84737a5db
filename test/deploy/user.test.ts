import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, onTestFinished, test } from "vitest";
import { CloudflareApi } from "./cloudflare-api.ts";
import { Operator } from "./operator.ts";

/** An account with the migrated database of the service, and the operator's folder. */
async function deployedDatabase() {
  const api = new CloudflareApi();
  await api.start();
  const operator = await Operator.withClone(api);
  onTestFinished(async () => {
    await api.stop();
    await operator.remove();
  });
  const database = api.account.createDatabase("almanac");
  const migrations = path.join(operator.folder, "migrations");
  for (const name of (await readdir(migrations)).filter((file) => file.endsWith(".sql")).toSorted()) {
    database.sqlite.exec(await readFile(path.join(migrations, name), "utf8"));
  }
  const user = (...args: string[]) => operator.run("user", { args: [...args, "--remote", "--json"] });
  return { api, database, user };
}

describe("npm run user -- --remote", { timeout: 120_000 }, () => {
  test("changes the deployed database; neither password nor hash is an argument of a process", async ({ expect }) => {
    const { api, database, user } = await deployedDatabase();
    const added = await user("add", "ada@example.com");
    expect(added.code, added.output).toBe(0);
    const { password } = JSON.parse(added.output) as { password: string };
    const [row] = database.rows("SELECT password_hash AS hash FROM users") as { hash: string }[];
    expect(row?.hash).toMatch(/^scrypt\$/);
    expect(added.processes).toContain("user.ts");
    for (const secret of [password, "scrypt$", "INSERT INTO", api.token]) {
      expect(added.processes).not.toContain(secret);
    }

    expect((await user("key", "ada@example.com")).code).toBe(0);
    const refused = await user("disable", "ada@example.com");
    expect([refused.code, JSON.parse(refused.output)]).toEqual([
      4,
      { error: { code: "not_confirmed", message: expect.stringContaining("--yes") } },
    ]);
    expect((await user("disable", "ada@example.com", "--yes")).code).toBe(0);
    expect(
      database.rows("SELECT u.disabled_at > 0 AS disabled, k.revoked_at > 0 AS revoked FROM users u, api_keys k"),
    ).toEqual([{ disabled: 1, revoked: 1 }]);
    expect(api.unknown).toEqual([]);
  });

  test("an unknown user and a missing database have codes and words", async ({ expect }) => {
    const { api, user } = await deployedDatabase();
    const unknown = await user("enable", "nobody@example.com");
    expect([unknown.code, JSON.parse(unknown.output)]).toEqual([
      3,
      { error: { code: "not_found", message: "there is no user with this e-mail" } },
    ]);
    api.account.databases.pop();
    const missing = await user("list");
    expect(missing.code).toBe(1);
    expect(missing.output).toContain("the account has no database almanac; deploy the service first");
  });
});
