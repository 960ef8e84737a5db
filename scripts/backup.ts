import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { makeBackup } from "./backup/make-backup.ts";
import { withInstallation } from "./backup/open.ts";

const { values } = parseArgs({
  options: {
    to: { type: "string", default: "backups" },
    remote: { type: "boolean", default: false },
    env: { type: "string" },
    "persist-to": { type: "string" },
  },
});
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
