import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { USAGES } from "./help/usages.ts";

/*
 * Answers `--help` for every npm script that runs a file of this folder (`node --import ./scripts/help.ts …`), before that file and its
 * packages are loaded. The usage is that of `USAGES`, or else the line in docs/commands.md.
 */

const ROOT = join(import.meta.dirname, "..");
/** Runs another command, whose `--help` is not its own. */
const RUNS_A_COMMAND = "at.ts";

function usageOf(name: string): string {
  const own = new Map(Object.entries(USAGES)).get(name);
  if (own !== undefined) {
    return own;
  }
  const lines = readFileSync(join(ROOT, "docs", "commands.md"), "utf8").split("\n");
  const row = lines.find((line) => new RegExp(`^\\| \`npm run ${name}[\` ]`).test(line));
  const [, command = "", text = ""] = /^\| `(.+?)` \| (.+) \|$/.exec(row ?? "") ?? [];
  const plain = text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/`(-- [^`]+)`/g, `npm run ${name} $1`);
  return `${command}\n\n${plain.replaceAll("`", "")}`;
}

const [, script = "", ...args] = process.argv;
const asked = basename(script) === RUNS_A_COMMAND ? args.slice(0, 1) : args;
if (asked.includes("--help")) {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const [name = ""] = Object.entries(scripts).find(([, command]) => command.endsWith(`/${basename(script)}`)) ?? [];
  console.log(usageOf(name));
  process.exit(0);
}
