import { randomBytes } from "node:crypto";
import { appendFile, chmod, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { DeployFailure } from "./failure.ts";
import { SETTINGS_FILE } from "./read-values.ts";
import type { RunningWorker } from "./running.ts";
import type { Values } from "./settings.ts";
import { isCi, isPrivateOutput } from "./surroundings.ts";

const keyIdsOf = (tokenKeys: string): string[] => Object.keys(JSON.parse(tokenKeys) as Record<string, string>);

/** A variable beside the secret TOKEN_KEYS, which nobody can read back: the ids of its keys. */
const KEY_IDS = "TOKEN_KEY_IDS";

/** What `TOKEN_KEY_IDS` says of the version that is uploaded; keys that stay in the Worker are as they were. */
export function keyIdsVariable(tokenKeys: string | undefined, running: RunningWorker | null): [string, string][] {
  const ids = tokenKeys === undefined ? running?.vars.get(KEY_IDS) : keyIdsOf(tokenKeys).join(",");
  return ids === undefined ? [] : [[KEY_IDS, ids]];
}

interface TokenKeyInput {
  readonly values: Values;
  readonly running: RunningWorker | null;
  /** The keys with which something in the database is sealed. */
  readonly usedKeyIds: readonly string[];
  /** Whether the operator asks for the next step to another key. */
  readonly rotates?: boolean;
}

/** If a key in use is missing, the logins that it sealed are lost. */
function assertKeysOpen(tokenKeys: string, tokenKeyId: string, usedKeyIds: readonly string[]): void {
  const ids = keyIdsOf(tokenKeys);
  if (!ids.includes(tokenKeyId)) {
    throw new DeployFailure(
      `TOKEN_KEY_ID is ${tokenKeyId}, and TOKEN_KEYS has only ${ids.join(", ")}`,
      "set TOKEN_KEY_ID to one of them, or add that key",
    );
  }
  const missing = usedKeyIds.filter((id) => !ids.includes(id));
  if (missing.length > 0) {
    throw new DeployFailure(
      `TOKEN_KEYS lacks ${missing.join(", ")}, with which logins in the database are sealed`,
      `add ${missing.length === 1 ? "that key" : "those keys"} to TOKEN_KEYS, or leave TOKEN_KEYS out to keep what the Worker has`,
    );
  }
}

/** What the version that runs can open; null where this command uploaded none. */
const runningKeyIds = (running: RunningWorker | null): readonly string[] | null =>
  running?.vars.get(KEY_IDS)?.split(",") ?? null;

/** While both versions run, the previous one must read what the new one seals. */
function assertRunningCanOpen(id: string, running: RunningWorker | null): void {
  if (id !== running?.vars.get("TOKEN_KEY_ID") && runningKeyIds(running)?.includes(id) === false) {
    throw new DeployFailure(
      `TOKEN_KEY_ID is ${id}, and the version that runs does not have that key: while it is replaced it could not read what the new one seals`,
      "deploy with the key in TOKEN_KEYS and the TOKEN_KEY_ID of before, then change TOKEN_KEY_ID and deploy again",
    );
  }
}

const makeKey = (): readonly [id: string, key: string] => [
  `k${randomBytes(4).toString("hex")}`,
  randomBytes(32).toString("base64"),
];

/** The next of the two steps: adds a key, or, once the version that runs has it, seals with it. */
function rotateKeys(given: string | undefined, id: string, running: RunningWorker | null): ReadonlyMap<string, string> {
  if (given === undefined) {
    throw new DeployFailure(
      "--rotate-keys adds a key to TOKEN_KEYS, and the settings do not have them",
      "set TOKEN_KEYS to the copy that you keep: nobody can read them back from Cloudflare",
    );
  }
  const ids = keyIdsOf(given);
  const next = ids.at(-1) ?? "";
  if (next !== id) {
    const isThere = runningKeyIds(running)?.includes(next) === true;
    return new Map([
      ["TOKEN_KEYS", given],
      ["TOKEN_KEY_ID", isThere ? next : id],
    ]);
  }
  const keys = { ...(JSON.parse(given) as Record<string, string>), ...Object.fromEntries([makeKey()]) };
  return new Map([
    ["TOKEN_KEYS", JSON.stringify(keys)],
    ["TOKEN_KEY_ID", id],
  ]);
}

/**
 * The keys that seal the tokens of platforms. They are made only where nothing can be sealed yet: other keys would make every
 * login unreadable. Ids are random, so that keys of two installations are never taken for each other.
 */
export function decideTokenKeys({
  values,
  running,
  usedKeyIds,
  rotates = false,
}: TokenKeyInput): ReadonlyMap<string, string> {
  const given = values.get("TOKEN_KEYS");
  const runningId = running?.vars.get("TOKEN_KEY_ID");
  if (given !== undefined) {
    const id = values.get("TOKEN_KEY_ID") ?? runningId ?? keyIdsOf(given).at(-1) ?? "";
    assertKeysOpen(given, id, usedKeyIds);
    assertRunningCanOpen(id, running);
    return rotates ? rotateKeys(given, id, running) : new Map([["TOKEN_KEY_ID", id]]);
  }
  if (rotates) {
    return rotateKeys(given, "", running);
  }
  if (running?.secretNames.has("TOKEN_KEYS") === true) {
    const id = values.get("TOKEN_KEY_ID") ?? runningId;
    if (id === undefined) {
      throw new DeployFailure("the Worker has TOKEN_KEYS, but nothing says which key seals", "set TOKEN_KEY_ID");
    }
    return new Map([["TOKEN_KEY_ID", id]]);
  }
  if (usedKeyIds.length > 0) {
    throw new DeployFailure(
      `the database has logins that the ${usedKeyIds.length === 1 ? "key" : "keys"} ${usedKeyIds.join(", ")} sealed, and the Worker has no TOKEN_KEYS`,
      "set TOKEN_KEYS to the copy that you keep; without it every login must be connected again",
    );
  }
  const [id, key] = makeKey();
  return new Map([
    ["TOKEN_KEYS", JSON.stringify({ [id]: key })],
    ["TOKEN_KEY_ID", id],
  ]);
}

/** A code for the first sign-up, unless it is given or nobody could see it. */
export function decideSetupCode(values: Values, hasUsers: boolean, env: NodeJS.ProcessEnv): string | null {
  const isAsked = (values.get("SIGNUP") ?? "first") === "first" && !hasUsers;
  return isAsked && !values.has("SETUP_CODE") && isPrivateOutput(env) ? randomBytes(24).toString("base64url") : null;
}

/** The credential with which `npm run doctor` asks the service; in CI nobody could read one that is made there. */
export function decideOperatorKey(
  values: Values,
  running: RunningWorker | null,
  env: NodeJS.ProcessEnv,
): string | null {
  const isThere = values.has("OPERATOR_KEY") || running?.secretNames.has("OPERATOR_KEY") === true;
  return isThere || isCi(env) ? null : randomBytes(32).toString("base64url");
}

/** Without the lines that set one of these names; a value over several lines stays, and the later one counts. */
function withoutLines(content: string, names: readonly string[]): string {
  const line = new RegExp(
    `^[ \\t]*(?:export[ \\t]+)?(?:${names.join("|")})[ \\t]*=(?:'[^'\\n]*'|"[^"\\n]*"|[^'"\\n]*)[ \\t]*(?:\\n|$)`,
    "gm",
  );
  return content.replaceAll(line, "");
}

/** Writes generated secrets into the operator's file before their use, so that a run that fails later loses nothing. */
export async function keepInSettingsFile(made: ReadonlyMap<string, string>): Promise<void> {
  const before = await readFile(SETTINGS_FILE, "utf8").catch(() => "");
  const content = withoutLines(before, [...made.keys()]);
  const lines = [...made].map(([name, value]) => `${name}=${value.startsWith("{") ? `'${value}'` : value}\n`);
  const added = `${content === "" || content.endsWith("\n") ? "" : "\n"}${lines.join("")}`;
  if (content === before) {
    await appendFile(SETTINGS_FILE, added, { mode: 0o600 });
    await chmod(SETTINGS_FILE, 0o600);
    return;
  }
  // Replaces the file in one step, so that a killed run leaves either the old file or the new one.
  const replacement = `${await realpath(SETTINGS_FILE)}.new`;
  await writeFile(replacement, content + added, { mode: 0o600 });
  await rename(replacement, await realpath(SETTINGS_FILE));
}
