import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Installation } from "./backup/installation.ts";
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
async function backUp(installation: Installation): Promise<void> {
  const { folder, manifest } = await makeBackup(installation, values.to, (line) => console.log(line));
  console.log(
    `\n${folder} is whole: ${manifest.database.sizeBytes} bytes of database, ${manifest.objects.totalBytes} of files.`,
  );
  if (manifest.tokenKeyIds.length > 0) {
    console.log(
      `Keep TOKEN_KEYS with ${manifest.tokenKeyIds.join(", ")} elsewhere: without it every login must be connected again.`,
    );
  }
}

await mkdir(values.to, { recursive: true, mode: 0o700 });
await withInstallation(values, backUp, "run the command again: it goes on with the files that are there");
