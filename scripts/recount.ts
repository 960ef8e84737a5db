import { parseArgs } from "node:util";
import { DAY, toIsoInstant } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { recountDays } from "#posts/summary/recount-days.ts";
import { withInstallation } from "./backup/open.ts";

const USAGE = `Computes the day counters (post_days) from the posts and corrects those that are wrong.

  npm run recount -- [--remote | --local] [--env sandbox] [--persist-to DIR]

The service may keep running, and the command can be repeated. --remote selects the deployed database instead of the local one (--env
sandbox: that of \`npm run dev\`; --persist-to: its folder).`;

function parseFlags() {
  try {
    const { values } = parseArgs({
      options: {
        remote: { type: "boolean", default: false },
        local: { type: "boolean", default: false },
        env: { type: "string" },
        "persist-to": { type: "string" },
      },
    });
    return values.remote && values.local ? null : values;
  } catch {
    return null;
  }
}

const values = parseFlags();
if (values === null) {
  console.error(USAGE);
  process.exit(2);
}
await withInstallation(values, async ({ database }) => {
  const { days, corrected } = await recountDays({ db: openDb(database) }, ({ workspaceId, day, changes }) => {
    const changed = changes.map(({ name, before, after }) => `${name} ${before ?? "(no row)"} → ${after}`);
    console.log(`${workspaceId}  ${toIsoInstant(day * DAY).slice(0, 10)}  ${changed.join(", ")}`);
  });
  console.log(`${days} days counted, ${corrected} corrected`);
});
