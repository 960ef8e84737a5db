import { createHash, randomUUID } from "node:crypto";
import { Refusal } from "./cloudflare-refusal.ts";
import { D1Database, type Query } from "./d1-database.ts";
import { type Binding, DeployedWorker, type Metadata } from "./deployed-worker.ts";

/** A call, as the table of calls below gets it. */
export interface ApiCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly json: <T>() => Promise<T>;
  readonly form: () => Promise<FormData>;
  readonly bytes: () => Uint8Array;
  readonly contentType: string;
  /** The jurisdiction in which a bucket is looked for. */
  readonly jurisdiction: string | null;
}

/** An answer that is no JSON. */
export class Content {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  constructor(bytes: Uint8Array, contentType: string) {
    this.bytes = bytes;
    this.contentType = contentType;
  }
}

/** A result with what Cloudflare writes beside it. */
export class Page {
  readonly result: unknown;
  readonly info: Readonly<Record<string, number | string | boolean>>;
  constructor(result: unknown, info: Readonly<Record<string, number | string | boolean>>) {
    this.result = result;
    this.info = info;
  }
}

type ImportCall =
  | { readonly action: "init"; readonly etag: string }
  | { readonly action: "ingest"; readonly etag: string; readonly filename: string }
  | { readonly action: "poll"; readonly current_bookmark: string };

export interface Zone {
  readonly id: string;
  readonly name: string;
  readonly records: { type: string; name: string; content: string }[];
  readonly routes: { pattern: string; script?: string }[];
}

/** One page of a list. Cloudflare's own limits: a page is at least 1, and not every length of a page is allowed. */
function pageOf<T>(all: readonly T[], query: URLSearchParams, [least, most]: readonly [number, number]): Page {
  const page = Number(query.get("page") ?? "1");
  const perPage = Number(query.get("per_page") ?? "20");
  if (!Number.isInteger(page) || page < 1 || !Number.isInteger(perPage) || perPage < least || perPage > most) {
    throw new Refusal(400, 10_022, "could not parse the page or per_page of the list");
  }
  const items = all.slice((page - 1) * perPage, page * perPage);
  return new Page(items, { page, per_page: perPage, count: items.length, total_count: all.length });
}

const scriptOf = ({ name, tags, migrationTag, lastDeployedFrom, current }: DeployedWorker) => ({
  tag: `tag-${name}`,
  tags,
  migration_tag: migrationTag,
  last_deployed_from: lastDeployedFrom,
  compatibility_date: current.compatibilityDate,
  compatibility_flags: current.compatibilityFlags,
});

/** Nobody can read a secret back. */
const withoutSecret = ({ text, ...binding }: Binding): Binding =>
  binding.type === "secret_text" || text === undefined ? binding : { ...binding, text };

const MAX_WHOLE_UPLOAD_BYTES = 300_000_000;

const noWorker = () => new Refusal(404, 10_007, "This Worker does not exist on your account.");

/** What one account has. Names are unique, and everything that is named must exist. */
export class CloudflareAccount {
  readonly id = "a".repeat(32);
  readonly tokenId = "b".repeat(32);
  readonly databases: D1Database[] = [];
  readonly namespaces: { readonly id: string; readonly title: string }[] = [];
  readonly buckets: {
    readonly name: string;
    readonly location: string | undefined;
    readonly jurisdiction: string | null;
  }[] = [];
  /** The objects of all buckets, by key. */
  readonly objects = new Map<string, Content>();
  /** Files that wait for their import. */
  readonly sqlFiles = new Map<string, string>();
  /** Where this API answers, for the addresses of dumps and of files to be imported. */
  origin = "";
  readonly workers = new Map<string, DeployedWorker>();
  readonly zones: Zone[] = [];
  readonly domains: { readonly hostname: string; readonly service: string; readonly zone_id: string }[] = [];
  subdomain: string | null = "ada";
  hasR2 = true;
  uploads = 0;

  worker(name: string | undefined): DeployedWorker {
    const worker = this.workers.get(name ?? "");
    if (worker === undefined || worker.versions.length === 0) {
      throw noWorker();
    }
    return worker;
  }

  /** The Worker that answers at a host. */
  workerAt(host: string): DeployedWorker | undefined {
    const attached = this.domains.find(({ hostname }) => hostname === host)?.service;
    const label =
      this.subdomain !== null && host.endsWith(`.${this.subdomain}.workers.dev`) ? host.split(".", 1)[0] : undefined;
    const named = this.workers.get(attached ?? label ?? "");
    return attached !== undefined || named?.subdomain.enabled === true ? named : undefined;
  }

  database(idOrName: string | undefined): D1Database {
    const database = this.databases.find(({ uuid, name }) => uuid === idOrName || name === idOrName);
    if (database === undefined) {
      throw new Refusal(404, 7404, "The database could not be found");
    }
    return database;
  }

  createDatabase(name: string, location?: string, jurisdiction: string | null = null): D1Database {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) {
      throw new Refusal(400, 7400, "the name of the database is invalid");
    }
    if (this.databases.some((database) => database.name === name)) {
      throw new Refusal(400, 7502, `A database with the name ${name} already exists`);
    }
    const database = new D1Database(randomUUID(), name, location, jurisdiction);
    this.databases.push(database);
    return database;
  }

  createNamespace(title: string): { readonly id: string; readonly title: string } {
    if (this.namespaces.some((namespace) => namespace.title === title)) {
      throw new Refusal(400, 10_014, "a namespace with this account ID and title already exists");
    }
    const namespace = { id: randomUUID().replaceAll("-", ""), title };
    this.namespaces.push(namespace);
    return namespace;
  }

  createBucket(name: string, location?: string, jurisdiction: string | null = null): void {
    this.#assertR2();
    if (jurisdiction !== null && location !== undefined) {
      throw new Refusal(400, 10_002, "a location hint is not taken for a bucket of a jurisdiction");
    }
    if (this.buckets.some((bucket) => bucket.name === name && bucket.jurisdiction === jurisdiction)) {
      throw new Refusal(409, 10_004, "The bucket you tried to create already exists, and you own it.");
    }
    this.buckets.push({ name, location, jurisdiction });
  }

  #assertR2(): void {
    if (!this.hasR2) {
      throw new Refusal(403, 10_042, "Please enable R2 through the Cloudflare Dashboard.");
    }
  }

  #bucket(name: string | undefined, jurisdiction: string | null): { readonly name: string } {
    this.#assertR2();
    const bucket = this.buckets.find((one) => one.name === name && one.jurisdiction === jurisdiction);
    if (bucket === undefined) {
      throw new Refusal(404, 10_006, "The specified bucket does not exist.");
    }
    return bucket;
  }

  /** A file that was uploaded before is not asked for again: its import begins at once. */
  #import(database: D1Database, call: ImportCall): object {
    if (call.action === "poll") {
      return database.pollImport(call.current_bookmark);
    }
    const filename = call.action === "init" ? `${database.uuid}-${call.etag}.sql` : call.filename;
    const sql = this.sqlFiles.get(filename);
    if (sql === undefined && call.action === "init") {
      const upload_url = `${this.origin}/sql-files/${filename}`;
      return { success: true, type: "import", messages: [], filename, upload_url };
    }
    if (sql === undefined || createHash("md5").update(sql).digest("hex") !== call.etag) {
      throw new Refusal(400, 7400, "the file was not uploaded, or has another content than the etag says");
    }
    return database.beginImport(sql);
  }

  async #upload({ params, form }: ApiCall, how: "replace" | "version"): Promise<unknown> {
    const name = params["name"] ?? "";
    const body = await form();
    const metadata = JSON.parse(await partText(body.get("metadata"))) as Metadata;
    if (how === "version" && metadata.migrations !== undefined) {
      throw new Refusal(400, 10_211, 'migrations must be fully applied by running "wrangler deploy"');
    }
    const worker = this.workers.get(name) ?? new DeployedWorker(name);
    const files = [...body.entries()].filter(([, part]) => typeof part !== "string");
    const modules = await Promise.all(
      files.map(async ([part, file]) => ({
        name: part,
        type: typeof file === "string" ? "" : file.type,
        contents: await partText(file),
      })),
    );
    const version = worker.upload(metadata, modules, {
      database: (id) => this.databases.some(({ uuid }) => uuid === id),
      namespace: (id) => this.namespaces.some((namespace) => namespace.id === id),
      bucket: (bucketName, jurisdiction) =>
        this.buckets.some((bucket) => bucket.name === bucketName && bucket.jurisdiction === (jurisdiction ?? null)),
    });
    this.uploads += 1;
    this.workers.set(name, worker);
    if (how === "replace") {
      worker.deployed = version.id;
      return { id: name, etag: "x", deployment_id: version.id.replaceAll("-", ""), startup_time_ms: 30 };
    }
    return { id: version.id, startup_time_ms: 30, resources: { script: { etag: "x" } } };
  }

  #changeset(name: string | undefined, wanted: readonly { readonly hostname: string }[]): unknown {
    const attached = new Map(this.domains.map((domain) => [domain.hostname, domain]));
    return {
      added: wanted.filter(({ hostname }) => !attached.has(hostname)),
      removed: [],
      updated: wanted
        .filter(({ hostname }) => attached.has(hostname))
        .map((domain) => ({
          ...domain,
          id: domain.hostname,
          modified: attached.get(domain.hostname)?.service !== name,
        })),
      conflicting: wanted.filter(({ hostname }) =>
        this.zones.some(({ records }) => records.some((record) => record.name === hostname)),
      ),
    };
  }

  /** Overwrites without asking, as wrangler asks for it where nobody can be asked. */
  #attachDomains(name: string, origins: readonly { readonly hostname: string }[]): unknown {
    for (const { hostname } of origins) {
      const zone = this.zones.find((one) => hostname === one.name || hostname.endsWith(`.${one.name}`));
      if (zone === undefined) {
        throw new Refusal(400, 100_112, "the zone of this domain is not in your account");
      }
      const at = this.domains.findIndex((domain) => domain.hostname === hostname);
      this.domains.splice(at === -1 ? this.domains.length : at, 1, { hostname, service: name, zone_id: zone.id });
      const kept = zone.records.filter((record) => record.name !== hostname);
      zone.records.splice(0, zone.records.length, ...kept, { type: "AAAA", name: hostname, content: "100::" });
    }
    return [];
  }

  /** Every call that the deployment needs; any other is unknown. */
  readonly calls: Readonly<Record<string, (call: ApiCall) => unknown>> = {
    "GET /user/tokens/verify": () => ({ id: this.tokenId, status: "active" }),
    "GET /accounts": ({ query }) => pageOf([{ id: this.id, name: "Ada's account" }], query, [5, 50]),
    "GET /accounts/:account/d1/database": ({ query }) =>
      pageOf(
        this.databases
          .filter(({ name }) => name.includes(query.get("name") ?? ""))
          .map(({ uuid, name, jurisdiction }) => ({ uuid, name, jurisdiction })),
        query,
        [10, 10_000],
      ),
    "POST /accounts/:account/d1/database": async ({ json }) => {
      const body = await json<{ name: string; primary_location_hint?: string; jurisdiction?: string }>();
      const { uuid, name, jurisdiction } = this.createDatabase(
        body.name,
        body.primary_location_hint,
        body.jurisdiction ?? null,
      );
      return { uuid, name, jurisdiction };
    },
    "GET /accounts/:account/d1/database/:database": ({ params }) => {
      const { uuid, name, jurisdiction } = this.database(params["database"]);
      return { uuid, name, jurisdiction, version: "production" };
    },
    "POST /accounts/:account/d1/database/:database/query": async ({ params, json }) => {
      const body = await json<Query & { readonly batch?: readonly Query[] }>();
      return this.database(params["database"]).queryByApi(...(body.batch ?? [body]));
    },
    "POST /accounts/:account/d1/database/:database/import": async ({ params, json }) =>
      this.#import(this.database(params["database"]), await json<ImportCall>()),
    "GET /accounts/:account/d1/database/:database/time_travel/bookmark": ({ params, query }) => {
      const database = this.database(params["database"]);
      const timestamp = query.get("timestamp");
      return { bookmark: timestamp === null ? database.bookmark : database.bookmarkAt(Date.parse(timestamp)) };
    },
    "POST /accounts/:account/d1/database/:database/time_travel/restore": ({ params, query }) =>
      this.database(params["database"]).travelTo(query.get("bookmark") ?? ""),
    "POST /accounts/:account/d1/database/:database/export": async ({ params, json }) => {
      const body = await json<{ output_format?: string; current_bookmark?: string }>();
      if (body.output_format !== "polling") {
        throw new Refusal(400, 7400, "output_format must be polling");
      }
      const database = this.database(params["database"]);
      const filename = `${database.uuid}.sql`;
      const result = { filename, signed_url: `${this.origin}/dumps/${filename}` };
      return { success: true, messages: [], ...database.export(body.current_bookmark), result };
    },
    "GET /accounts/:account/r2/buckets/:bucket/objects": ({ params, query, jurisdiction }) => {
      this.#bucket(params["bucket"], jurisdiction);
      const perPage = Number(query.get("per_page") ?? "20");
      if (!Number.isInteger(perPage) || perPage < 1 || perPage > 1000) {
        throw new Refusal(400, 10_022, "per_page must be between 1 and 1000");
      }
      const keys = [...this.objects.keys()].sort().filter((key) => key > (query.get("cursor") ?? ""));
      const page = keys.slice(0, perPage);
      const isTruncated = keys.length > perPage;
      const objects = page.map((key) => {
        const bytes = this.objects.get(key)?.bytes ?? new Uint8Array();
        return {
          key,
          size: bytes.length,
          etag: createHash("md5").update(bytes).digest("hex"),
          storage_class: "Standard",
        };
      });
      return new Page(objects, {
        per_page: perPage,
        is_truncated: isTruncated,
        ...(isTruncated && { cursor: page.at(-1) ?? "" }),
      });
    },
    "GET /accounts/:account/r2/buckets/:bucket/objects/:key*": ({ params, jurisdiction }) => {
      this.#bucket(params["bucket"], jurisdiction);
      const object = this.objects.get(params["key"] ?? "");
      if (object === undefined) {
        throw new Refusal(404, 10_007, "The specified key does not exist.");
      }
      return object;
    },
    "PUT /accounts/:account/r2/buckets/:bucket/objects/:key*": ({ params, bytes, contentType, jurisdiction }) => {
      this.#bucket(params["bucket"], jurisdiction);
      if (bytes().length > MAX_WHOLE_UPLOAD_BYTES) {
        throw new Refusal(413, 100_100, "entity too large");
      }
      this.objects.set(params["key"] ?? "", new Content(bytes(), contentType));
      return { key: params["key"] };
    },
    "GET /accounts/:account/storage/kv/namespaces": ({ query }) => pageOf(this.namespaces, query, [5, 1000]),
    "POST /accounts/:account/storage/kv/namespaces": async ({ json }) =>
      this.createNamespace((await json<{ title: string }>()).title),
    "GET /accounts/:account/r2/buckets/:bucket": ({ params, jurisdiction }) =>
      this.#bucket(params["bucket"], jurisdiction),
    "POST /accounts/:account/r2/buckets": async ({ json, jurisdiction }) => {
      const { name, locationHint } = await json<{ name: string; locationHint?: string }>();
      this.createBucket(name, locationHint, jurisdiction);
      return { name };
    },
    "GET /accounts/:account/workers/subdomain": () => {
      if (this.subdomain === null) {
        throw new Refusal(404, 10_007, "workers.dev subdomain not found");
      }
      return { subdomain: this.subdomain };
    },
    "GET /accounts/:account/workers/domains": ({ query }) =>
      this.domains.filter(({ hostname }) => query.get("hostname") === null || hostname === query.get("hostname")),
    "GET /zones": ({ query }) =>
      pageOf(
        this.zones.filter(({ name }) => name === query.get("name")).map(({ id, name }) => ({ id, name })),
        query,
        [5, 50],
      ),
    "GET /zones/:zone/workers/routes": ({ params }) => this.zones.find(({ id }) => id === params["zone"])?.routes ?? [],
    "GET /zones/:zone/dns_records": ({ params, query }) =>
      pageOf(
        (this.zones.find(({ id }) => id === params["zone"])?.records ?? []).filter(
          ({ name }) => name === query.get("name"),
        ),
        query,
        [1, 5_000_000],
      ),
    "GET /accounts/:account/workers/scripts": () =>
      [...this.workers.values()].map(({ name, migrationTag }) => ({
        id: name,
        ...(migrationTag !== null && { migration_tag: migrationTag }),
      })),
    "GET /accounts/:account/workers/services/:name": ({ params }) => {
      const worker = this.worker(params["name"]);
      return { id: worker.name, default_environment: { environment: "production", script: scriptOf(worker) } };
    },
    // How wrangler reads a Worker that was edited in the dashboard.
    "GET /accounts/:account/workers/services/:name/environments/production": ({ params }) => ({
      script: scriptOf(this.worker(params["name"])),
    }),
    "GET /accounts/:account/workers/services/:name/environments/production/bindings": ({ params }) =>
      this.worker(params["name"]).current.bindings.map(withoutSecret),
    "GET /accounts/:account/workers/services/:name/environments/production/routes": () => [],
    "GET /accounts/:account/workers/services/:name/environments/production/subdomain": ({ params }) =>
      this.worker(params["name"]).subdomain,
    "GET /accounts/:account/workers/domains/records": ({ query }) =>
      this.domains.filter(({ service }) => service === query.get("service")),
    "GET /accounts/:account/workers/workers/:name": ({ params }) => {
      const { name, subdomain } = this.worker(params["name"]);
      return { id: `tag-${name}`, name, subdomain };
    },
    "GET /accounts/:account/workers/scripts/:name/secrets": ({ params }) =>
      Object.keys(this.worker(params["name"]).secrets).map((name) => ({ name, type: "secret_text" })),
    "GET /accounts/:account/workers/scripts/:name/settings": ({ params }) => ({
      bindings: this.worker(params["name"]).current.bindings.map(withoutSecret),
    }),
    "GET /accounts/:account/workers/scripts/:name/deployments": ({ params }) => {
      const { deployed, createdAt } = this.worker(params["name"]);
      return {
        deployments: [
          { id: randomUUID(), created_on: createdAt, versions: [{ version_id: deployed, percentage: 100 }] },
        ],
      };
    },
    "POST /accounts/:account/workers/scripts/:name/deployments": async ({ params, json }) => {
      const worker = this.worker(params["name"]);
      const [version] = (await json<{ versions: { version_id: string }[] }>()).versions;
      if (!worker.versions.some(({ id }) => id === version?.version_id)) {
        throw new Refusal(400, 10_206, "the version does not exist");
      }
      worker.deployed = version?.version_id ?? "";
      return { id: randomUUID() };
    },
    "GET /accounts/:account/workers/scripts/:name/versions/:version": ({ params }) => {
      const version = this.worker(params["name"]).versions.find(({ id }) => id === params["version"]);
      if (version === undefined) {
        throw new Refusal(404, 10_206, "the version does not exist");
      }
      const { id, annotations } = version;
      return {
        id,
        number: 1,
        annotations,
        metadata: { created_on: "2026-11-23T00:00:00Z", author_email: "ada@example.com", source: "wrangler" },
        resources: { bindings: [], script: {}, script_runtime: {} },
      };
    },
    "PUT /accounts/:account/workers/scripts/:name": (call) => this.#upload(call, "replace"),
    "POST /accounts/:account/workers/scripts/:name/versions": (call) => this.#upload(call, "version"),
    "PATCH /accounts/:account/workers/scripts/:name/script-settings": async ({ params, json }) => {
      const worker = this.worker(params["name"]);
      worker.tags = (await json<{ tags?: string[] }>()).tags ?? worker.tags;
      return {};
    },
    "POST /accounts/:account/workers/scripts/:name/assets-upload-session": async ({ json }) => {
      const { manifest } = await json<{ manifest: Record<string, { hash: string }> }>();
      return { jwt: token({ session: true }), buckets: [Object.values(manifest).map(({ hash }) => hash)] };
    },
    "POST /accounts/:account/workers/assets/upload": () => ({ jwt: token({ complete: true }) }),
    "GET /accounts/:account/workers/scripts/:name/subdomain": ({ params }) => this.worker(params["name"]).subdomain,
    "POST /accounts/:account/workers/scripts/:name/subdomain": async ({ params, json }) => {
      const worker = this.worker(params["name"]);
      const { enabled, previews_enabled: previews = worker.subdomain.previews_enabled } = await json<{
        enabled: boolean;
        previews_enabled?: boolean;
      }>();
      worker.subdomain = { enabled, previews_enabled: previews };
      return worker.subdomain;
    },
    "GET /accounts/:account/workers/scripts/:name/schedules": ({ params }) => ({
      schedules: this.worker(params["name"]).schedules,
    }),
    "PUT /accounts/:account/workers/scripts/:name/schedules": async ({ params, json }) => {
      const worker = this.worker(params["name"]);
      worker.schedules = await json<{ cron: string }[]>();
      return { schedules: worker.schedules };
    },
    "POST /accounts/:account/workers/scripts/:name/domains/changeset": async ({ params, json }) =>
      this.#changeset(params["name"], await json<{ hostname: string }[]>()),
    "PUT /accounts/:account/workers/scripts/:name/domains/records": async ({ params, json }) => {
      const body = await json<{ override_existing_dns_record: boolean; origins: { hostname: string }[] }>();
      return this.#attachDomains(this.worker(params["name"]).name, body.origins);
    },
  };
}

async function partText(part: string | Blob | null): Promise<string> {
  return part === null ? "" : typeof part === "string" ? part : part.text();
}

/** Unsigned: wrangler only reads it. */
function token(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "none" })}.${part(claims)}.x`;
}
