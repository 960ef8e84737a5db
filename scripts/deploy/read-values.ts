import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { DeployFailure } from "./failure.ts";
import { assertSettings, type Values } from "./settings.ts";

export const SETTINGS_FILE = ".env.production";
const PREFIX = "ALMANAC_";
/** Names that users of the API have in their environment; the skill for agents says so. */
const OF_CALLERS: ReadonlySet<string> = new Set(["ALMANAC_KEY"]);

/** Outside of quotes a `#` begins a comment: half of a secret would be uploaded. */
function assertNothingIsCutOff(content: string): void {
  const cut = Array.from(
    content.matchAll(/^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*=[ \t]*[^\s'"`#][^\n]*?\S#/gm),
    ([, name]) => name,
  );
  if (cut.length > 0) {
    throw new DeployFailure(
      `${SETTINGS_FILE}: ${cut.join(", ")} would be cut off at the #`,
      "put the value into single quotes, then run the command again; nothing was changed",
    );
  }
}

async function readSettingsFile(): Promise<Record<string, string>> {
  let content: string;
  try {
    content = await readFile(SETTINGS_FILE, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return {};
    }
    throw new DeployFailure(`${SETTINGS_FILE} cannot be read`, "look at its permissions, then run the command again");
  }
  assertNothingIsCutOff(content);
  // No `$NAME` is replaced: the secrets of platforms contain such characters.
  return parseEnv(content) as Record<string, string>;
}

const given = (entries: readonly (readonly [string, string | undefined])[]): [string, string][] =>
  entries.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, value]]));

/** The settings file, and the variables `ALMANAC_*` of the environment, which go first. An empty value counts as left out. */
export async function readValues(env: NodeJS.ProcessEnv): Promise<Values> {
  const ofFile = given(Object.entries(await readSettingsFile()));
  const ofEnvironment = given(
    Object.entries(env)
      .filter(([name]) => name.startsWith(PREFIX) && !OF_CALLERS.has(name))
      .map(([name, value]) => [name.slice(PREFIX.length), value]),
  );
  const values = new Map([...ofFile, ...ofEnvironment]);
  assertSettings(values, ofFile.length === 0 ? "the environment" : SETTINGS_FILE);
  return values;
}
