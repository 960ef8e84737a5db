import { parseArgs } from "node:util";
import { DAY, toIsoInstant } from "#core/clock.ts";
import { openDb } from "#db/client.ts";
import { recountDays } from "#posts/summary/recount-days.ts";
import { withInstallation } from "./backup/open.ts";
import { USAGES } from "./help/usages.ts";

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
  console.error(USAGES.recount);
  process.exit(2);
}
await withInstallation(values, async ({ database }) => {
  const { days, corrected } = await recountDays({ db: openDb(database) }, ({ workspaceId, day, changes }) => {
    const changed = changes.map(({ name, before, after }) => `${name} ${before ?? "(no row)"} → ${after}`);
    console.log(`${workspaceId}  ${toIsoInstant(day * DAY).slice(0, 10)}  ${changed.join(", ")}`);
  });
  console.log(`${days} days counted, ${corrected} corrected`);
});
