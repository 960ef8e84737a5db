import { parseArgs } from "node:util";
import { DAY, toIsoInstant } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { recountDays } from "#posting/calendar/recount-days.ts";
import { wranglerD1 } from "./user/wrangler-d1.ts";

const USAGE = `Computes the day counters (post_days) from the posts and corrects those that are wrong.

  npm run recount -- [--remote | --local] [--env sandbox] [--persist-to DIR]

The service may keep running, and the command can be repeated. --remote selects the deployed database instead of the local one;
--env and --persist-to are passed to wrangler.`;

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
const db = openDb(
  wranglerD1([
    values.remote ? "--remote" : "--local",
    ...(values.env === undefined ? [] : ["--env", values.env]),
    ...(values["persist-to"] === undefined ? [] : ["--persist-to", values["persist-to"]]),
  ]),
);
const { days, corrected } = await recountDays({ db }, ({ workspaceId, day, changes }) => {
  const changed = changes.map(({ name, before, after }) => `${name} ${before ?? "(no row)"} → ${after}`);
  console.log(`${workspaceId}  ${toIsoInstant(day * DAY).slice(0, 10)}  ${changed.join(", ")}`);
});
console.log(`${days} days counted, ${corrected} corrected`);
