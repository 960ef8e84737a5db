import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { DeployFailure } from "./failure.ts";
import type { ResourceNames, Resources } from "./resources.ts";

/** Written by every deployment; also `npm run user -- --remote` and its like read it. */
export const CONFIG_FILE = "wrangler.deploy.toml";
const TRACKED_FILE = "wrangler.toml";

// JSON's strings are TOML's basic strings.
const quote = (text: string): string => JSON.stringify(text);

function damaged(what: string): DeployFailure {
  return new DeployFailure(
    `${TRACKED_FILE} has no ${what}`,
    `undo your changes with \`git checkout ${TRACKED_FILE}\`; settings belong in .env.production`,
  );
}

/** The part of the file for production, which is everything before the first environment. */
export async function readTrackedConfig(): Promise<string> {
  const content = await readFile(TRACKED_FILE, "utf8");
  const production = content.split(/^(?:#[^\n]*\n)*\[env\./m, 1)[0] ?? "";
  if (/^\[vars\]/m.test(production)) {
    throw new DeployFailure(
      `${TRACKED_FILE} has variables`,
      "move them to .env.production: this file belongs to the repository",
    );
  }
  return production;
}

/** The text between a table's header and the next one. */
function tableOf(config: string, header: string): string {
  const table = config.split(`${header}\n`)[1]?.split(/^\[/m, 1)[0];
  if (table === undefined) {
    throw damaged(header);
  }
  return table;
}

const valueOf = (table: string, key: string): string | null =>
  new RegExp(`^${key} = "([^"]+)"$`, "m").exec(table)?.[1] ?? null;

/** Names from the tracked file, or derived from the name that the operator gave the Worker. */
export function namesFrom(config: string, workerName: string | undefined): ResourceNames & { readonly worker: string } {
  const database = tableOf(config, "[[d1_databases]]");
  const bucket = tableOf(config, "[[r2_buckets]]");
  const tracked = valueOf(config.split(/^\[/m, 1)[0] ?? "", "name");
  const worker = workerName ?? tracked;
  if (worker === null) {
    throw damaged("name");
  }
  return {
    worker,
    database: workerName ?? valueOf(database, "database_name") ?? worker,
    databaseId: workerName === undefined ? valueOf(database, "database_id") : null,
    tokens: `${worker}-tokens`,
    tokensId: workerName === undefined ? valueOf(tableOf(config, "[[kv_namespaces]]"), "id") : null,
    bucket: (workerName === undefined ? valueOf(bucket, "bucket_name") : null) ?? `${worker}-media`,
  };
}

function replaceOnce(config: string, pattern: RegExp, replacement: string, what: string): string {
  if (!pattern.test(config)) {
    throw damaged(what);
  }
  return config.replace(pattern, () => replacement);
}

const TRACKED_NAMESPACES_FROM = 1000;
const MAX_LIMITERS = 16;
const NAMESPACE_BITS = 27;

/** Workers of one account that name the same number count together, so each installation has numbers of its own. */
function rateLimitNamespace(workerName: string, tracked: string): string {
  const hash = createHash("sha256").update(workerName).digest().readUInt32BE() >>> (32 - NAMESPACE_BITS);
  return String(hash * MAX_LIMITERS + (Number(tracked) - TRACKED_NAMESPACES_FROM));
}

export interface DeployedConfig {
  readonly names: ResourceNames & { readonly worker: string };
  readonly resources: Resources;
  readonly accountId: string;
  readonly version: string;
  readonly domain: string | undefined;
  readonly vars: ReadonlyMap<string, string>;
  readonly sendsEmail: boolean;
  readonly fitsImages: boolean;
  /** Where the Worker runs; undefined: near each caller. */
  readonly workerLocation: string | undefined;
  readonly jurisdiction: string | undefined;
}

/** Cloudflare names the place of a Worker by a region of another cloud: here one for each location of D1. */
const REGIONS: Readonly<Record<string, string>> = {
  wnam: "aws:us-west-2",
  enam: "aws:us-east-1",
  weur: "aws:eu-central-1",
  eeur: "gcp:europe-central2",
  apac: "aws:ap-southeast-1",
  oc: "aws:ap-southeast-2",
};

/** The tracked file with what belongs to this installation. */
export function completeConfig(tracked: string, input: DeployedConfig): string {
  const { names, resources, accountId, version, domain, vars, sendsEmail, fitsImages, workerLocation, jurisdiction } =
    input;
  const address =
    domain === undefined
      ? "workers_dev = true"
      : `workers_dev = false\nroutes = [{ pattern = ${quote(domain)}, custom_domain = true }]`;
  const edits: readonly (readonly [pattern: RegExp, replacement: string, what: string])[] = [
    [/^name = .*$/m, `name = ${quote(names.worker)}\naccount_id = ${quote(accountId)}\n${address}`, "name"],
    [
      /^command = "npm run --silent build -- production"$/m,
      `command = ${quote(`npm run --silent build -- production --version ${version}`)}`,
      "command that builds the modules",
    ],
    [
      /^\[\[d1_databases\]\]\nbinding = "DB"$/m,
      `[[d1_databases]]\nbinding = "DB"\ndatabase_id = ${quote(resources.databaseId)}`,
      'database "DB"',
    ],
    [/^database_name = .*$/m, `database_name = ${quote(names.database)}`, "database_name"],
    [
      /^\[\[kv_namespaces\]\]\nbinding = "TOKENS"$/m,
      `[[kv_namespaces]]\nbinding = "TOKENS"\nid = ${quote(resources.tokensId)}`,
      'KV namespace "TOKENS"',
    ],
    [
      /^bucket_name = .*$/m,
      `bucket_name = ${quote(names.bucket)}${jurisdiction === undefined ? "" : `\njurisdiction = ${quote(jurisdiction)}`}`,
      "bucket_name",
    ],
  ];
  // Ids that the tracked file names itself are written again above.
  const withoutIds = tracked.replaceAll(/^(?:database_id|id) = .*\n/gm, "");
  const withBindings = fitsImages
    ? withoutIds
    : replaceOnce(withoutIds, /^\[images\]\nbinding = "IMAGES"\n/m, "", 'images "IMAGES"');
  const edited = edits
    .reduce((config, [pattern, text, what]) => replaceOnce(config, pattern, text, what), withBindings)
    .replaceAll(
      /^namespace_id = "(\d+)"$/gm,
      (_, id: string) => `namespace_id = ${quote(rateLimitNamespace(names.worker, id))}`,
    );
  const email = sendsEmail ? '\n[[send_email]]\nname = "EMAIL"\n' : "";
  const region = REGIONS[workerLocation ?? ""];
  const placement = region === undefined ? "" : `\n[placement]\nregion = ${quote(region)}\n`;
  const variables = [...vars].map(([name, value]) => `${name} = ${quote(value)}\n`).join("");
  return `# Written by \`npm run deploy\`; the next run writes it anew.\n${edited.trimEnd()}\n${email}${placement}\n[vars]\n${variables}`;
}

export async function writeConfig(content: string): Promise<void> {
  await writeFile(CONFIG_FILE, content);
}
