import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { makeBackup } from "./backup/make-backup.ts";
import { withInstallation } from "./backup/open.ts";

const USAGE = `Copies the database and the files of the service into a folder on this machine.

  npm run backup -- --env sandbox           the service that \`npm run dev\` runs
  npm run backup -- --remote                the deployed service

  --to FOLDER        where the backups are kept; "backups" by default
  --persist-to DIR   the state of the local service, if not .wrangler/state

Each backup is a folder of its own with a manifest.json; files that an earlier one has are not fetched again. The service goes on
meanwhile; a deployed database answers nobody while it is exported. TOKEN_KEYS is not in a backup: keep it elsewhere.`;

const { values } = parseArgs({
  options: {
    to: { type: "string", default: "backups" },
    remote: { type: "boolean", default: false },
    env: { type: "string" },
    "persist-to": { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  await mkdir(values.to, { recursive: true, mode: 0o700 });
  await withInstallation(values, async (installation) => {
    const { folder, manifest } = await makeBackup(installation, values.to, (line) => console.log(line));
    console.log(
      `\n${folder} is whole: ${manifest.database.sizeBytes} bytes of database, ${manifest.objects.totalBytes} of files.`,
    );
    if (manifest.tokenKeyIds.length > 0) {
      console.log(
        `Keep TOKEN_KEYS with ${manifest.tokenKeyIds.join(", ")} elsewhere: without it every login must be connected again.`,
      );
    }
  });
}
