import { ApiFailure, type CloudflareApi } from "../deploy/cloudflare.ts";
import { DeployFailure } from "../deploy/failure.ts";
import { type FoundResources, findResources, type ResourceNames } from "../deploy/resources.ts";
import type { RunningWorker } from "../deploy/running.ts";
import { ofKind, type Values } from "../deploy/settings.ts";
import { green, red, type Row, yellow } from "./row.ts";

interface Binding {
  readonly type: string;
  readonly name: string;
  readonly id?: string;
  readonly database_id?: string;
  readonly namespace_id?: string;
  readonly bucket_name?: string;
}

export interface CloudflareInput {
  readonly api: CloudflareApi;
  readonly accountId: string;
  readonly names: ResourceNames & { readonly worker: string };
  /** wrangler.toml, production. */
  readonly tracked: string;
  readonly values: Values;
  readonly running: RunningWorker;
}

/** Makes a row of a refusal. Any other error is a bug of this command. */
function failureRow(what: string, error: unknown): Row {
  if (error instanceof DeployFailure) {
    return red(what, `${error.message}; ${error.next}`);
  }
  if (error instanceof ApiFailure) {
    return red(what, error.message);
  }
  throw error;
}

async function rightRow(what: string, call: () => Promise<unknown>): Promise<Row> {
  try {
    await call();
    return green(what, "the token may read it");
  } catch (error) {
    return failureRow(what, error);
  }
}

/** Only a write shows whether a token may write, so the deployment reports a missing right. */
async function rightRows({ api, accountId, names, values }: CloudflareInput): Promise<Row[]> {
  const account = `/accounts/${accountId}`;
  const domain = values.get("DOMAIN");
  return await Promise.all([
    rightRow("Right: D1", () => api.list(`${account}/d1/database`, { name: names.database })),
    rightRow("Right: KV", () => api.list(`${account}/storage/kv/namespaces`)),
    rightRow("Right: R2", () => api.find(`${account}/r2/buckets/${names.bucket}`)),
    ...(domain === undefined
      ? []
      : [
          rightRow("Right: zone", () =>
            api.list("/zones", { name: domain.split(".").slice(-2).join("."), "account.id": accountId }),
          ),
        ]),
  ]);
}

function resourceRow({ names }: CloudflareInput, found: FoundResources): Row {
  const missing = [
    ...(found.databaseId === null ? [`D1 database ${names.database}`] : []),
    ...(found.tokensId === null ? [`KV namespace ${names.tokens}`] : []),
    ...(found.hasBucket ? [] : [`R2 bucket ${names.bucket}`]),
  ];
  return missing.length === 0
    ? green("Resources", `${names.database}, ${names.tokens}, ${names.bucket}`)
    : red("Resources", `not there: ${missing.join(", ")}: npm run deploy creates them`);
}

/** The names of bindings in the tracked file. */
const bindingNames = (tracked: string): string[] =>
  Array.from(tracked.matchAll(/^(?:binding|name) = "([A-Z][A-Z_]*)"$/gm), ([, name = ""]) => name);

function bindingRow({ tracked, names }: CloudflareInput, found: FoundResources, bindings: readonly Binding[]): Row {
  const of = (name: string) => bindings.find((binding) => binding.name === name);
  // Left out with FIT_IMAGES=false: images that do not fit are refused then.
  const missing = bindingNames(tracked).filter((name) => name !== "IMAGES" && of(name) === undefined);
  const database = of("DB");
  const others = [
    ...(database !== undefined && (database.id ?? database.database_id) !== found.databaseId ? ["DB"] : []),
    ...(of("TOKENS") !== undefined && of("TOKENS")?.namespace_id !== found.tokensId ? ["TOKENS"] : []),
    ...(of("MEDIA") !== undefined && of("MEDIA")?.bucket_name !== names.bucket ? ["MEDIA"] : []),
  ];
  if (missing.length > 0) {
    return red("Bindings", `the Worker lacks ${missing.join(", ")}: npm run deploy`);
  }
  return others.length > 0
    ? red(
        "Bindings",
        `bound to something else than the resources of these names: ${others.join(", ")}: look at WORKER_NAME, then npm run deploy`,
      )
    : green("Bindings", `${bindings.length}, as wrangler.toml names them`);
}

function settingRows({ values, running }: CloudflareInput): Row[] {
  const secrets = [...ofKind(values, "secret").keys()].filter((name) => !running.secretNames.has(name));
  const changed = [...ofKind(values, "variable")]
    .filter(([name, value]) => running.vars.get(name) !== value)
    .map(([name]) => name);
  const undeployed = [...changed, ...secrets];
  return [
    running.secretNames.has("TOKEN_KEYS")
      ? green("Secrets", `the Worker has ${running.secretNames.size}, TOKEN_KEYS among them`)
      : red("Secrets", "the Worker has no TOKEN_KEYS: npm run deploy makes them, or set the copy that you keep"),
    undeployed.length === 0
      ? green("Settings", "the Worker has what the settings say")
      : yellow("Settings", `not deployed yet: ${undeployed.join(", ")}: npm run deploy`),
  ];
}

async function cronTriggerRow({ api, accountId, names }: CloudflareInput): Promise<Row> {
  const path = `/accounts/${accountId}/workers/scripts/${names.worker}/schedules`;
  const { schedules } = await api.get<{ schedules: { cron: string }[] }>(path);
  return schedules.some(({ cron }) => cron === "* * * * *")
    ? green("Cron trigger", "every minute")
    : red("Cron trigger", "the Worker has none that runs every minute: npm run deploy");
}

/** What Cloudflare knows: rights of the token, resources, bindings, settings and the trigger. */
export async function checkCloudflare(input: CloudflareInput): Promise<Row[]> {
  const { api, accountId, names } = input;
  const rights = await rightRows(input);
  if (rights.some(({ state }) => state === "red")) {
    return [...rights, ...settingRows(input)];
  }
  const found = await findResources(api, accountId, names);
  const { bindings } = await api.get<{ bindings: readonly Binding[] }>(
    `/accounts/${accountId}/workers/scripts/${names.worker}/settings`,
  );
  return [
    ...rights,
    resourceRow(input, found),
    bindingRow(input, found, bindings),
    ...settingRows(input),
    await cronTriggerRow(input),
  ];
}
