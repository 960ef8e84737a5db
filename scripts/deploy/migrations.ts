import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { CONFIG_FILE } from "./config-file.ts";
import type { RemoteDatabase } from "./database.ts";
import { DeployFailure } from "./failure.ts";
import { mustRunWrangler } from "./wrangler.ts";

const FOLDER = "migrations";
/** What is imported: one migration and the row that records it, so that there is never one without the other. */
const FILE = ".wrangler/migration.sql";

/**
 * Applies what is new by D1's import, not by `wrangler d1 migrations apply`, whose endpoint splits triggers wrongly. The
 * table that records them is wrangler's own.
 */
export async function applyMigrations(
  database: RemoteDatabase,
  accountId: string,
  onApplied: (name: string) => void,
): Promise<void> {
  const applied = await database.appliedMigrations();
  const files = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).toSorted();
  await mkdir(".wrangler", { recursive: true });
  try {
    for (const name of files.filter((file) => !applied.has(file))) {
      // A checkout on Windows may have given the lines two characters at their end.
      const sql = (await readFile(`${FOLDER}/${name}`, "utf8")).replaceAll("\r\n", "\n");
      await writeFile(FILE, `${sql}\nINSERT INTO d1_migrations (name) VALUES ('${name.replaceAll("'", "''")}');\n`);
      await mustRunWrangler(
        ["d1", "execute", "DB", "--remote", "--file", FILE, "--yes", "--config", CONFIG_FILE],
        accountId,
        new DeployFailure(
          `the migration ${name} failed; the service still runs as before, and the database is as the migration before it left it`,
          "read the message above, then run the command again: applied migrations are not repeated",
        ),
      );
      onApplied(name);
    }
  } finally {
    await rm(FILE, { force: true });
  }
}
