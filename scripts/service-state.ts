import { parseArgs } from "node:util";
import { openDb } from "#db/client.ts";
import { readService, type ServiceRow, startReview } from "#posting/restore/store-service.ts";
import { readDatabaseSize } from "#sync/store.ts";
import { wranglerD1 } from "./user/wrangler-d1.ts";

const USAGE = `Shows whether publishing is held after a restore of the database and whether the database is nearly full, and releases it; for the operator.

  npm run service -- status
  npm run service -- release

--remote selects the deployed database instead of the local one; --env and --persist-to are passed to wrangler.
release lets the cron compare every post that could still be published with its object, then allows publishing again.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    remote: { type: "boolean", default: false },
    env: { type: "string" },
    "persist-to": { type: "string" },
  },
});

const db = openDb(
  wranglerD1([
    values.remote ? "--remote" : "--local",
    ...(values.env === undefined ? [] : ["--env", values.env]),
    ...(values["persist-to"] === undefined ? [] : ["--persist-to", values["persist-to"]]),
  ]),
);

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

const commands: Record<string, () => Promise<ServiceRow>> = {
  status: () => readService(db),
  release: () => startReview(db),
};
const command = commands[positionals[0] ?? ""];
if (command) {
  print(await command());
  const { isTold } = await readDatabaseSize(db);
  console.log(isTold ? "database nearly full: more than 80 % of DATABASE_LIMIT_BYTES" : "database not nearly full");
} else {
  console.error(USAGE);
  process.exitCode = 2;
}
