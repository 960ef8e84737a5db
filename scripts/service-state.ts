import { parseArgs } from "node:util";
import { type Db, openDb } from "#db/client.ts";
import { readService, type ServiceRow, startReview } from "#restore/store-service.ts";
import { readDatabaseSize } from "#sync/store.ts";
import { withInstallation } from "./backup/open.ts";
import { USAGES } from "./help/usages.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    remote: { type: "boolean", default: false },
    env: { type: "string" },
    "persist-to": { type: "string" },
  },
});

const SENTENCES = {
  restored: "held: the database was put back to an earlier time; `npm run service -- release` starts the review",
  reviewing: "held: the cron compares the posts with their objects, then allows publishing",
  none: "publishing",
};

function print({ held, beat, epoch, reviewedTo }: ServiceRow): void {
  console.log(SENTENCES[held ?? "none"]);
  const progress = reviewedTo === "" ? "" : `, reviewed up to post ${reviewedTo}`;
  console.log(`last heartbeat ${beat === 0 ? "never" : new Date(beat).toISOString()}, epoch ${epoch}${progress}`);
}

const commands: Record<string, (db: Db) => Promise<ServiceRow>> = { status: readService, release: startReview };
const command = commands[positionals[0] ?? ""];
if (command) {
  await withInstallation(values, async ({ database }) => {
    const db = openDb(database);
    print(await command(db));
    const { isTold } = await readDatabaseSize(db);
    console.log(isTold ? "database nearly full: more than 80 % of DATABASE_LIMIT_BYTES" : "database not nearly full");
  });
} else {
  console.error(USAGES.service);
  process.exitCode = 2;
}
