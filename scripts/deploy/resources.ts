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

async function findDatabase(api: CloudflareApi, accountId: string, name: string): Promise<string | null> {
  const databases = await api.list<{ uuid: string; name: string }>(`/accounts/${accountId}/d1/database`, { name });
  return databases.find((database) => database.name === name)?.uuid ?? null;
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
    databaseId: names.databaseId ?? (await findDatabase(api, accountId, names.database)),
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
  /** Called with each created resource. */
  readonly onCreated: (what: string) => void;
}

export async function createMissing(
  api: CloudflareApi,
  accountId: string,
  { names, found, location, onCreated }: CreateInput,
): Promise<Resources> {
  const account = `/accounts/${accountId}`;
  let { databaseId, tokensId } = found;
  if (databaseId === null) {
    databaseId = await create(
      async () => {
        const body = { name: names.database, ...(location !== undefined && { primary_location_hint: location }) };
        return (await api.post<{ uuid: string }>(`${account}/d1/database`, body)).uuid;
      },
      () => findDatabase(api, accountId, names.database),
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
        const body = { name: names.bucket, ...(location !== undefined && { locationHint: location }) };
        await api.post(`${account}/r2/buckets`, body);
        return names.bucket;
      },
      async () => ((await hasBucket(api, accountId, names.bucket)) ? names.bucket : null),
    );
    onCreated(`R2 bucket ${names.bucket}`);
  }
  return { databaseId, tokensId };
}
