import { check } from "./client/check.ts";
import { generate } from "./client/generate.ts";
import { kills } from "./client/kills.ts";
import { pack } from "./client/pack.ts";

/*
 * The TypeScript client (clients/typescript): `npm run client -- generate` writes its generated part from the OpenAPI document, `pack`
 * builds the package into `dist/clients`, `check` installs and uses it as a stranger would, and `kills` kills the service during calls.
 */

const COMMANDS = { generate, pack, check, kills } as const;

const [name = "", argument] = process.argv.slice(2);
if (!Object.hasOwn(COMMANDS, name)) {
  console.error(`npm run client -- ${Object.keys(COMMANDS).join("|")}`);
  process.exit(2);
}
await COMMANDS[name as keyof typeof COMMANDS](argument);
