import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildCli, CLI_FOLDER } from "./cli/build.ts";
import { recordSession, withSession } from "./cli/record-session.ts";
import { withService } from "./service.ts";

/*
 * The command line: `npm run cli -- build` writes clients/cli/dist/almanac.js, `npm run cli -- pack [folder]` the tarball that
 * `npx` takes, `npm run cli -- session` the session in its README.
 */

const README = join(CLI_FOLDER, "README.md");

const [command, folder = "."] = process.argv.slice(2);
await buildCli();
switch (command) {
  case "build":
    break;
  case "pack": {
    const { stdout } = await promisify(execFile)("npm", ["pack", "--pack-destination", folder, CLI_FOLDER]);
    console.log(stdout.trim());
    break;
  }
  case "session": {
    const session = await withService(undefined, recordSession);
    await writeFile(README, withSession(await readFile(README, "utf8"), session));
    console.log(session);
    break;
  }
  default:
    throw new Error("say what to do: build, pack or session");
}
