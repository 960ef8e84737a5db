import { parseArgs } from "node:util";
import { PLATFORM_NAMES } from "#core/platform.ts";
import { decideOrigin } from "./deploy/address.ts";
import { ApiFailure, type CloudflareApi } from "./deploy/cloudflare.ts";
import { completeConfig, CONFIG_FILE, namesFrom, readTrackedConfig, writeConfig } from "./deploy/config-file.ts";
import { loadDotEnv, signIn } from "./deploy/credential.ts";
import { RemoteDatabase } from "./deploy/database.ts";
import { DeployFailure } from "./deploy/failure.ts";
import {
  decideOperatorKey,
  decideSetupCode,
  decideTokenKeys,
  keepInSettingsFile,
  keyIdsVariable,
} from "./deploy/generated-secrets.ts";
import { refuseUnhealthy, waitForVersion } from "./deploy/health.ts";
import { onInterruption } from "./deploy/interruption.ts";
import { applyMigrations } from "./deploy/migrations.ts";
import { readValues, SETTINGS_FILE } from "./deploy/read-values.ts";
import { assertJurisdiction, createMissing, findResources } from "./deploy/resources.ts";
import { readRunningWorker, type RunningWorker } from "./deploy/running.ts";
import { deleteLeftovers, withSecretsFile } from "./deploy/secrets-file.ts";
import { ofKind, PLATFORMS_WITH_APP, type Values } from "./deploy/settings.ts";
import { isCi, isPrivateOutput } from "./deploy/surroundings.ts";
import { readVersion } from "./deploy/version.ts";
import { mustRunWrangler } from "./deploy/wrangler.ts";

interface Flags {
  readonly newOrigin: boolean;
  readonly dropVars: boolean;
  readonly rotateKeys: boolean;
  readonly overwrites: boolean;
}

let step = 0;
function say(text: string): void {
  step += 1;
  console.log(`${step}. ${text}`);
}
const note = (text: string): void => console.log(`   ${text}`);

/** A deployment replaces all variables, so it would silently delete any that these settings lack. */
function assertNoVarIsLost(running: RunningWorker | null, vars: ReadonlyMap<string, string>, flags: Flags): void {
  const lost = [...(running?.vars.keys() ?? [])].filter((name) => !vars.has(name));
  if (lost.length > 0 && !flags.dropVars) {
    throw new DeployFailure(
      `the running service has ${lost.join(", ")}, and these settings do not`,
      `add ${lost.length === 1 ? "it" : "them"} to the settings, or add --drop-vars if ${lost.length === 1 ? "it is" : "they are"} to go`,
    );
  }
}

const CHANGED_BY: Readonly<Record<string, string>> = { dash: "in Cloudflare's dashboard", api: "by a script" };

/** Wrangler would find the same, but after the migrations and with advice about a flag of its own. */
function assertNothingIsOverwritten(
  worker: string,
  running: RunningWorker | null,
  vars: ReadonlyMap<string, string>,
): void {
  const secrets = [...vars.keys()].filter((name) => running?.secretNames.has(name) === true);
  if (secrets.length > 0) {
    throw new DeployFailure(
      `the Worker has ${secrets.join(", ")} as a secret, and these settings as a variable`,
      "take it out of the settings to keep the secret, or run `npm run deploy -- --overwrite`; nothing was changed",
    );
  }
  const where = CHANGED_BY[running?.changedBy ?? ""];
  if (where !== undefined) {
    const differing = [...vars].filter(([name, value]) => running?.vars.get(name) !== value).map(([name]) => name);
    const what =
      differing.length === 0
        ? "its variables are those of the settings; what else was changed cannot be told"
        : `of its variables ${differing.join(", ")} ${differing.length === 1 ? "differs" : "differ"}`;
    throw new DeployFailure(
      `the Worker ${worker} was changed ${where} since the last deployment, which this one would replace: ${what}`,
      "take the change over into the settings if it is to stay, then run `npm run deploy -- --overwrite`; nothing was changed",
    );
  }
}

function variablesFor(
  values: Values,
  origin: string,
  keys: { readonly id: string; readonly ids: readonly (readonly [string, string])[] },
): Map<string, string> {
  const location = values.get("LOCATION") ?? (values.get("JURISDICTION") === "eu" ? "weur" : undefined);
  return new Map([
    ["ORIGIN", origin],
    ["TOKEN_KEY_ID", keys.id],
    ...keys.ids,
    ...(location === undefined ? [] : [["OBJECTS_LOCATION", location] as const]),
    ...[...ofKind(values, "variable")].filter(([name]) => name !== "TOKEN_KEY_ID"),
  ]);
}

async function usedKeyIds(api: CloudflareApi, accountId: string, databaseId: string | null): Promise<string[]> {
  return databaseId === null ? [] : new RemoteDatabase(api, accountId, databaseId).sealingKeyIds();
}

async function upload(
  accountId: string,
  version: string,
  secrets: ReadonlyMap<string, string>,
  { overwrites }: Flags,
): Promise<void> {
  const strict = overwrites ? [] : ["--strict"];
  const output = await withSecretsFile(secrets, (path) =>
    mustRunWrangler(
      ["deploy", "--config", CONFIG_FILE, ...strict, "--tag", version, "--secrets-file", path],
      accountId,
      new DeployFailure(
        "the upload failed or is incomplete",
        "read the message above, then run the command again: it takes up what is missing",
      ),
      { secrets: [...secrets.values()] },
    ),
  );
  for (const line of output.match(/^(?:Total Upload|Worker Startup Time|Current Version ID).*$/gm) ?? []) {
    note(line);
  }
}

function printResult(origin: string, values: Values): void {
  console.log(`\nAlmanac runs at ${origin}\n`);
  console.log("Redirect URIs, to be entered in your app at each platform (docs/platforms says how to get one):");
  for (const platform of PLATFORMS_WITH_APP) {
    const hasApp = values.has(`${platform.toUpperCase()}_CLIENT_ID`);
    const address = `${origin}/connect/${platform}/callback`;
    console.log(`  ${PLATFORM_NAMES[platform].padEnd(10)} ${address}${hasApp ? "" : "  (no app yet)"}`);
  }
}

function printRotation(vars: ReadonlyMap<string, string>, running: RunningWorker | null): void {
  const id = vars.get("TOKEN_KEY_ID");
  const isDone = id !== running?.vars.get("TOKEN_KEY_ID");
  console.log(
    isDone
      ? `\n${id} seals from now on. The cron seals at most 50 older logins a minute again: \`npm run doctor -- --remote\` counts what each key still seals (docs/guide/operate.md)`
      : "\nThe new key opens from now on. Run npm run deploy -- --rotate-keys again to seal with it",
  );
}

function printSignUp(origin: string, hasUsers: boolean, setupCode: string | undefined, values: Values): void {
  if (hasUsers || values.get("SIGNUP") === "closed") {
    return;
  }
  if (values.get("SIGNUP") === "open") {
    console.log(`\nSign up: ${origin}/signup`);
  } else if (setupCode === undefined) {
    console.log(
      "\nNobody can sign up yet: this output may be public. Set ALMANAC_SETUP_CODE to a secret of at least 20 characters and run this again.",
    );
  } else if (isPrivateOutput(process.env)) {
    console.log(`\nSign up as the first user, once:\n  ${origin}/signup?setup_code=${setupCode}`);
  } else {
    console.log(`\nSign up as the first user, once: ${origin}/signup, with the SETUP_CODE of your settings`);
  }
}

async function deploy(flags: Flags): Promise<void> {
  await loadDotEnv();
  deleteLeftovers();
  const values = await readValues(process.env);
  const tracked = await readTrackedConfig();
  const names = namesFrom(tracked, values.get("WORKER_NAME"));
  const version = await readVersion();
  const domain = values.get("DOMAIN");

  const { api, accountId } = await signIn(values.get("JURISDICTION"));
  const running = await readRunningWorker(api, accountId, names.worker);
  say(`Worker ${names.worker}, version ${version}: ${running === null ? "new" : "runs already"}`);

  const origin = await decideOrigin(api, {
    accountId,
    domain,
    workerName: names.worker,
    runningOrigin: running?.vars.get("ORIGIN"),
    mayChange: flags.newOrigin,
  });
  say(`Address ${origin}`);

  const found = await findResources(api, accountId, names);
  const jurisdiction = values.get("JURISDICTION");
  await assertJurisdiction(api, accountId, found.databaseId, jurisdiction);
  const keys = decideTokenKeys({
    values,
    running,
    usedKeyIds: await usedKeyIds(api, accountId, found.databaseId),
    rotates: flags.rotateKeys,
  });
  const vars = variablesFor(values, origin, {
    id: keys.get("TOKEN_KEY_ID") ?? "",
    ids: keyIdsVariable(keys.get("TOKEN_KEYS") ?? values.get("TOKEN_KEYS"), running),
  });
  if (!flags.overwrites) {
    assertNothingIsOverwritten(names.worker, running, vars);
  }
  assertNoVarIsLost(running, vars, flags);
  const operatorKey = decideOperatorKey(values, running, process.env);
  const made = new Map([
    ...(keys.has("TOKEN_KEYS") ? keys : []),
    ...(operatorKey === null ? [] : [["OPERATOR_KEY", operatorKey] as const]),
  ]);
  await keepMade(made);

  say("Database, key-value store, bucket");
  const resources = await createMissing(api, accountId, {
    names,
    found,
    location: values.get("LOCATION"),
    jurisdiction,
    onCreated: (what) => note(`created ${what}`),
  });
  await writeConfig(
    completeConfig(tracked, {
      names,
      resources,
      accountId,
      version,
      domain,
      vars,
      sendsEmail: values.has("MAIL_FROM"),
      fitsImages: values.get("FIT_IMAGES") !== "false",
      workerLocation: values.has("WORKER_AT_LOCATION") ? values.get("LOCATION") : undefined,
      jurisdiction,
    }),
  );

  const database = new RemoteDatabase(api, accountId, resources.databaseId);
  const bookmark = await database.bookmark();
  say(`Bookmark of the database before this deployment: ${bookmark}`);
  note(`back to it: npx wrangler d1 time-travel restore DB --bookmark=${bookmark} --config ${CONFIG_FILE}`);

  say("Migrations");
  const applied = await applyMigrations(database, accountId);
  note(applied.length === 0 ? "none is new" : `applied ${applied.join(", ")}`);

  const hasUsers = await database.hasUsers();
  const setupCode = decideSetupCode(values, hasUsers, process.env);
  if (setupCode !== null) {
    await keepMade(new Map([["SETUP_CODE", setupCode]]));
    made.set("SETUP_CODE", setupCode);
  }

  say("Upload of code, bindings and secrets, as one version");
  const secrets = new Map([...ofKind(values, "secret"), ...ofKind(made, "secret")]);
  await upload(accountId, version, secrets, flags);

  say(`Waiting for ${origin}/health to say ${version}`);
  const said = await waitForVersion(origin, version);
  if (said !== null) {
    await refuseUnhealthy({
      origin,
      version,
      said,
      accountId,
      previousVersionId: running?.versionId ?? null,
    });
  }
  printResult(origin, values);
  if (flags.rotateKeys) {
    printRotation(vars, running);
  }
  printSignUp(origin, hasUsers, secrets.get("SETUP_CODE"), values);
}

/** CI keeps no files, so there only Cloudflare keeps the generated secrets. */
async function keepMade(made: ReadonlyMap<string, string>): Promise<void> {
  if (made.size === 0) {
    return;
  }
  const names = new Intl.ListFormat("en").format(made.keys());
  if (!isCi(process.env)) {
    await keepInSettingsFile(made);
    note(`made ${names}, and wrote ${made.size === 1 ? "it" : "them"} into ${SETTINGS_FILE}: keep a copy of that file`);
  } else {
    note(`made ${names}: only Cloudflare has ${made.size === 1 ? "it" : "them"}, and nobody can read secrets back`);
  }
}

const { values: flags } = parseArgs({
  options: {
    "new-origin": { type: "boolean", default: false },
    "drop-vars": { type: "boolean", default: false },
    "rotate-keys": { type: "boolean", default: false },
    overwrite: { type: "boolean", default: false },
  },
});
onInterruption("run the command again: it goes on with what is missing");
try {
  await deploy({
    newOrigin: flags["new-origin"],
    dropVars: flags["drop-vars"],
    rotateKeys: flags["rotate-keys"],
    overwrites: flags.overwrite,
  });
} catch (error) {
  if (!(error instanceof DeployFailure || error instanceof ApiFailure)) {
    throw error;
  }
  console.error(`\nStopped: ${error.message}`);
  console.error(
    `Next: ${error instanceof DeployFailure ? error.next : "run the command again; if it persists, the message says what Cloudflare wants"}`,
  );
  process.exitCode = 1;
}
