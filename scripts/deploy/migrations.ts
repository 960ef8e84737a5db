import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { CONFIG_FILE } from "./config-file.ts";
import type { RemoteDatabase } from "./database.ts";
import { DeployFailure } from "./failure.ts";
import { mustRunWrangler } from "./wrangler.ts";

const FOLDER = "migrations";
const FILE = ".wrangler/migrations.sql";

/** The migration and the row that records it in wrangler's own table. */
async function readRecorded(name: string): Promise<string> {
  // A checkout on Windows may have given the lines two characters at their end.
  const sql = (await readFile(`${FOLDER}/${name}`, "utf8")).replaceAll("\r\n", "\n");
  return `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}');\n`;
}

/**
 * Applies what is new, all or nothing, and returns its names. By one import, not by `wrangler d1 migrations apply`, whose
 * endpoint splits triggers wrongly.
 */
export async function applyMigrations(database: RemoteDatabase, accountId: string): Promise<readonly string[]> {
  const applied = await database.appliedMigrations();
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql") && !applied.has(name)).toSorted();
  if (names.length === 0) {
    return names;
  }
  await mkdir(".wrangler", { recursive: true });
  try {
    await writeFile(FILE, (await Promise.all(names.map(readRecorded))).join("\n"));
    await mustRunWrangler(
      ["d1", "execute", "DB", "--remote", "--file", FILE, "--yes", "--config", CONFIG_FILE],
      accountId,
      new DeployFailure(
        `the migrations failed (${names.join(", ")}); database and service are as before`,
        "read the message above, then run the command again",
      ),
    );
    return names;
  } finally {
    await rm(FILE, { force: true });
  }
}
