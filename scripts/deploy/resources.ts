import { ApiFailure, type CloudflareApi } from "./cloudflare.ts";
import { DeployFailure } from "./failure.ts";

/** Cloudflare's numbers for "there is one of this name already". */
const TAKEN: ReadonlySet<number> = new Set([7502, 10_004, 10_014]);
const R2_NOT_ENABLED = 10_042;

/** What the resources are called; an id that wrangler.toml already names is kept. */
export interface ResourceNames {
  readonly database: string;
  readonly databaseId: string | null;
  readonly tokens: string;
  readonly tokensId: string | null;
  readonly bucket: string;
}

/** What there is; null where it must be created. */
export interface FoundResources {
  readonly databaseId: string | null;
  readonly tokensId: string | null;
  readonly hasBucket: boolean;
}

export interface Resources {
  readonly databaseId: string;
  readonly tokensId: string;
}

interface Database {
  readonly uuid: string;
  readonly name: string;
  readonly jurisdiction?: string | null;
}

async function findDatabase(api: CloudflareApi, accountId: string, name: string): Promise<Database | null> {
  const databases = await api.list<Database>(`/accounts/${accountId}/d1/database`, { name });
  return databases.find((database) => database.name === name) ?? null;
}

/** Nothing moves into a jurisdiction or out of it: with another one the service would begin with an empty bucket. */
export async function assertJurisdiction(
  api: CloudflareApi,
  accountId: string,
  databaseId: string | null,
  jurisdiction: string | undefined,
): Promise<void> {
  if (databaseId === null) {
    return;
  }
  const { name, jurisdiction: present } = await api.get<Database>(`/accounts/${accountId}/d1/database/${databaseId}`);
  if (present !== undefined && present !== (jurisdiction ?? null)) {
    throw new DeployFailure(
      `the database ${name} is in ${present === null ? "no jurisdiction" : `the jurisdiction ${present}`}, and JURISDICTION ${jurisdiction === undefined ? "is not set" : `says ${jurisdiction}`}`,
      "put JURISDICTION back; only a new installation (another WORKER_NAME), into which you restore a backup, has another one",
    );
  }
}

async function findTokens(api: CloudflareApi, accountId: string, title: string): Promise<string | null> {
  const namespaces = await api.list<{ id: string; title: string }>(`/accounts/${accountId}/storage/kv/namespaces`);
  return namespaces.find((namespace) => namespace.title === title)?.id ?? null;
}

async function hasBucket(api: CloudflareApi, accountId: string, name: string): Promise<boolean> {
  try {
    return (await api.find(`/accounts/${accountId}/r2/buckets/${name}`)) !== null;
  } catch (error) {
    if (error instanceof ApiFailure && error.code === R2_NOT_ENABLED) {
      throw new DeployFailure(
        "R2, which keeps the media, is not enabled in this account",
        `enable it at https://dash.cloudflare.com/${accountId}/r2 (it has a free tier but asks for a means of payment), then run the command again`,
      );
    }
    throw error;
  }
}

/** Finds resources by name instead of by a stored id, so that a run on another machine finds those of an interrupted run. */
export async function findResources(
  api: CloudflareApi,
  accountId: string,
  names: ResourceNames,
): Promise<FoundResources> {
  return {
    databaseId: names.databaseId ?? (await findDatabase(api, accountId, names.database))?.uuid ?? null,
    tokensId: names.tokensId ?? (await findTokens(api, accountId, names.tokens)),
    hasBucket: await hasBucket(api, accountId, names.bucket),
  };
}

/** Creates a resource, or finds the one that another run has created at the same time. */
async function create(make: () => Promise<string>, findAgain: () => Promise<string | null>): Promise<string> {
  try {
    return await make();
  } catch (error) {
    const id = error instanceof ApiFailure && TAKEN.has(error.code) ? await findAgain() : null;
    if (id === null) {
      throw error;
    }
    return id;
  }
}

interface CreateInput {
  readonly names: ResourceNames;
  readonly found: FoundResources;
  readonly location: string | undefined;
  readonly jurisdiction: string | undefined;
  /** Called with each created resource. */
  readonly onCreated: (what: string) => void;
}

export async function createMissing(
  api: CloudflareApi,
  accountId: string,
  { names, found, location, jurisdiction, onCreated }: CreateInput,
): Promise<Resources> {
  const account = `/accounts/${accountId}`;
  let { databaseId, tokensId } = found;
  if (databaseId === null) {
    databaseId = await create(
      async () => {
        const place = jurisdiction === undefined ? { primary_location_hint: location } : { jurisdiction };
        const body = { name: names.database, ...place };
        return (await api.post<{ uuid: string }>(`${account}/d1/database`, body)).uuid;
      },
      async () => (await findDatabase(api, accountId, names.database))?.uuid ?? null,
    );
    onCreated(`D1 database ${names.database}`);
  }
  if (tokensId === null) {
    tokensId = await create(
      async () => (await api.post<{ id: string }>(`${account}/storage/kv/namespaces`, { title: names.tokens })).id,
      () => findTokens(api, accountId, names.tokens),
    );
    onCreated(`KV namespace ${names.tokens}`);
  }
  if (!found.hasBucket) {
    await create(
      async () => {
        // The header names the jurisdiction. R2 refuses a location hint beside it.
        const body = { name: names.bucket, ...(jurisdiction === undefined && { locationHint: location }) };
        await api.post(`${account}/r2/buckets`, body);
        return names.bucket;
      },
      async () => ((await hasBucket(api, accountId, names.bucket)) ? names.bucket : null),
    );
    onCreated(`R2 bucket ${names.bucket}`);
  }
  return { databaseId, tokensId };
}
