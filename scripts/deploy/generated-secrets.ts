import { randomBytes } from "node:crypto";
import { appendFile, chmod, readFile } from "node:fs/promises";
import { DeployFailure } from "./failure.ts";
import { SETTINGS_FILE } from "./read-values.ts";
import type { RunningWorker } from "./running.ts";
import type { Values } from "./settings.ts";
import { isCi, isPrivateOutput } from "./surroundings.ts";

const keyIdsOf = (tokenKeys: string): string[] => Object.keys(JSON.parse(tokenKeys) as Record<string, string>);

interface TokenKeyInput {
  readonly values: Values;
  readonly running: RunningWorker | null;
  /** The keys with which something in the database is sealed. */
  readonly usedKeyIds: readonly string[];
}

/** With keys that lack one of the used ones, the logins that it sealed would be lost. */
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

/**
 * The keys that seal the tokens of platforms. They are made only where nothing can be sealed yet: other keys would make every
 * login unreadable. Ids are random, so that keys of two installations are never taken for each other.
 */
export function decideTokenKeys({ values, running, usedKeyIds }: TokenKeyInput): ReadonlyMap<string, string> {
  const given = values.get("TOKEN_KEYS");
  const runningId = running?.vars.get("TOKEN_KEY_ID");
  if (given !== undefined) {
    const id = values.get("TOKEN_KEY_ID") ?? runningId ?? keyIdsOf(given).at(-1) ?? "";
    assertKeysOpen(given, id, usedKeyIds);
    return new Map([["TOKEN_KEY_ID", id]]);
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
  const id = `k${randomBytes(4).toString("hex")}`;
  return new Map([
    ["TOKEN_KEYS", JSON.stringify({ [id]: randomBytes(32).toString("base64") })],
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

/** Keeps what was made in the operator's own file, before it is used: then a run that fails later has lost nothing. */
export async function keepInSettingsFile(made: ReadonlyMap<string, string>): Promise<void> {
  const content = await readFile(SETTINGS_FILE, "utf8").catch(() => "");
  const lines = [...made].map(([name, value]) => `${name}=${value.startsWith("{") ? `'${value}'` : value}\n`);
  await appendFile(SETTINGS_FILE, `${content === "" || content.endsWith("\n") ? "" : "\n"}${lines.join("")}`, {
    mode: 0o600,
  });
  await chmod(SETTINGS_FILE, 0o600);
}
