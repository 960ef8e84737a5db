import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { DeployFailure } from "./failure.ts";

const DEFAULT_BASE = "https://api.cloudflare.com/client/v4";
const TRIES = 4;
const TIMEOUT_MS = 30_000;
const TRANSFER_TIMEOUT_MS = 600_000;
/** Enough to wait until five minutes of too many calls are over. */
const TRANSFER_TRIES = 8;
const MAX_WAIT_SECONDS = 60;
/** What every list allows; some allow no more. */
const PER_PAGE = 50;

/** The key pair of a caller of an S3-compatible store. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What identifies the caller, as `wrangler auth token --json` prints it. */
export type Credential =
  | { readonly type: "api_token" | "oauth"; readonly token: string }
  | { readonly type: "api_key"; readonly key: string; readonly email: string };

/** A refusal of Cloudflare's API. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly status: number;
  /** Cloudflare's own number of the error; 0 when the answer had none. */
  readonly code: number;
  constructor(call: string, status: number, code: number, message: string) {
    super(`Cloudflare refused ${call}: ${message} (HTTP ${status}${code === 0 ? "" : `, code ${code}`})`);
    this.status = status;
    this.code = code;
  }
}

interface Envelope {
  readonly success?: boolean;
  readonly result?: unknown;
  readonly errors?: readonly { readonly code?: number; readonly message?: string }[];
  readonly result_info?: {
    readonly page?: number;
    readonly per_page?: number;
    readonly total_count?: number;
    readonly total_pages?: number;
    readonly cursor?: string;
    readonly is_truncated?: boolean;
  };
}

interface CallOptions {
  readonly method?: "GET" | "POST";
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function authorization(credential: Credential): Record<string, string> {
  return credential.type === "api_key"
    ? { "X-Auth-Key": credential.key, "X-Auth-Email": credential.email }
    : { Authorization: `Bearer ${credential.token}` };
}

function waitSeconds(response: Response | null, attempt: number): number {
  const asked = Number(response?.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(asked) && asked >= 0 ? Math.min(asked, MAX_WAIT_SECONDS) : 2 ** attempt / 2;
}

/** Repeats only reads and requests that Cloudflare did not try, because a resource may exist although the answer was lost. */
function isRepeatable(method: string, status: number): boolean {
  return status === 429 || (method === "GET" && (status === 0 || status >= 500));
}

interface ApiOptions {
  readonly base?: string | undefined;
  /** That of the bucket. */
  readonly jurisdiction: string | undefined;
}

/** Cloudflare's API, with the operator's credential. */
export class CloudflareApi {
  readonly #base: string;
  readonly #credential: Credential;
  readonly #jurisdiction: string | undefined;

  constructor(credential: Credential, { base = DEFAULT_BASE, jurisdiction }: ApiOptions) {
    this.#credential = credential;
    this.#base = base;
    this.#jurisdiction = jurisdiction;
  }

  /** A bucket in a jurisdiction and one of the same name outside of it are two buckets. */
  #headers(path: string): Record<string, string> {
    return {
      ...authorization(this.#credential),
      ...(this.#jurisdiction !== undefined &&
        path.includes("/r2/buckets") && { "cf-r2-jurisdiction": this.#jurisdiction }),
    };
  }

  async #send(path: string, { method = "GET", query = {}, body }: CallOptions): Promise<Response | null> {
    const url = `${this.#base}${path}${Object.keys(query).length === 0 ? "" : `?${new URLSearchParams(query).toString()}`}`;
    try {
      return await fetch(url, {
        method,
        headers: {
          ...this.#headers(path),
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch {
      return null;
    }
  }

  async #call(path: string, options: CallOptions): Promise<Envelope> {
    const method = options.method ?? "GET";
    const name = `${method} ${path}`;
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#send(path, options);
      const envelope = response === null ? {} : await readEnvelope(response);
      if (response?.ok === true && envelope.success === true) {
        return envelope;
      }
      if (attempt >= TRIES || !isRepeatable(method, response?.status ?? 0)) {
        throw toFailure(name, response, envelope);
      }
      await sleep(waitSeconds(response, attempt) * 1000);
    }
  }

  async get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
    return (await this.#call(path, { query })).result as T;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return (await this.#call(path, { method: "POST", body })).result as T;
  }

  /** All items of a list that is paged by a cursor. */
  async *pages<T>(path: string, query: Readonly<Record<string, string>> = {}): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const envelope = await this.#call(path, { query: { ...query, ...(cursor !== undefined && { cursor }) } });
      yield* envelope.result as T[];
      const info = envelope.result_info ?? {};
      cursor = info.is_truncated === false || info.cursor === "" ? undefined : info.cursor;
    } while (cursor !== undefined);
  }

  /** The content at a path; null where there is none. */
  async download(path: string): Promise<ReadableStream<Uint8Array> | null> {
    const response = await this.#transfer("GET", path);
    return response?.body ?? null;
  }

  /**
   * What R2's S3-compatible side knows this token by: https://developers.cloudflare.com/r2/api/tokens/. Null for a login with
   * wrangler, which has no such thing.
   */
  async s3Credentials(accountId: string): Promise<S3Credentials | null> {
    if (this.#credential.type !== "api_token") {
      return null;
    }
    const { token } = this.#credential;
    const { id } = await this.get<{ id: string }>("/user/tokens/verify").catch(() =>
      // A token of the account instead of a user.
      this.get<{ id: string }>(`/accounts/${accountId}/tokens/verify`),
    );
    return { accessKeyId: id, secretAccessKey: createHash("sha256").update(token).digest("hex") };
  }

  /** Stores content; safe to repeat. */
  async upload(path: string, bytes: Uint8Array, contentType: string): Promise<void> {
    const response = await this.#transfer("PUT", path, { bytes, contentType });
    await response?.arrayBuffer();
  }

  /** Content instead of JSON. Cloudflare allows 1,200 calls in five minutes, so that a long transfer is asked to wait now and then. */
  async #transfer(
    method: "GET" | "PUT",
    path: string,
    content?: { readonly bytes: Uint8Array; readonly contentType: string },
  ): Promise<Response | null> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(this.#base + path, {
        method,
        headers: {
          ...this.#headers(path),
          ...(content !== undefined && { "Content-Type": content.contentType }),
        },
        ...(content !== undefined && { body: content.bytes }),
        signal: AbortSignal.timeout(TRANSFER_TIMEOUT_MS),
      }).catch(() => null);
      if (response?.ok === true) {
        return response;
      }
      const envelope = response === null ? {} : await readEnvelope(response);
      if (response?.status === 404 && method === "GET") {
        return null;
      }
      const mayRepeat = response === null || response.status === 429 || response.status >= 500;
      if (!mayRepeat || attempt >= TRANSFER_TRIES) {
        throw toFailure(`${method} ${path}`, response, envelope);
      }
      await sleep(waitSeconds(response, attempt) * 1000);
    }
  }

  /** The result, or null where Cloudflare has nothing of that name. */
  async find<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T | null> {
    try {
      return await this.get<T>(path, query);
    } catch (error) {
      if (error instanceof ApiFailure && error.status === 404) {
        return null;
      }
      throw error;
    }
  }

  /** All pages of a list. */
  async list<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const all: T[] = [];
    for (let page = 1; ; page += 1) {
      const envelope = await this.#call(path, { query: { ...query, page: String(page), per_page: String(PER_PAGE) } });
      const results = envelope.result as T[];
      all.push(...results);
      const { total_count: total, total_pages: pages, per_page: perPage = PER_PAGE } = envelope.result_info ?? {};
      const isLast =
        pages !== undefined ? page >= pages : total !== undefined ? all.length >= total : results.length < perPage;
      if (isLast || results.length === 0) {
        return all;
      }
    }
  }
}

async function readEnvelope(response: Response): Promise<Envelope> {
  try {
    return (await response.json()) as Envelope;
  } catch {
    return {};
  }
}

/** Which right of an API token a call needs; wrangler's template "Edit Cloudflare Workers" lacks D1. */
const RIGHTS: readonly (readonly [path: RegExp, right: string])[] = [
  [/\/d1\//, "Account · D1 · Edit"],
  [/\/storage\/kv\//, "Account · Workers KV Storage · Edit"],
  [/\/r2\//, "Account · Workers R2 Storage · Edit"],
  [/\/dns_records/, "Zone · DNS · Edit"],
  [/\/zones/, "Zone · Zone · Read and Zone · Workers Routes · Edit"],
  [/\/workers\//, "Account · Workers Scripts · Edit"],
  [/\/accounts$/, "Account · Account Settings · Read (or set CLOUDFLARE_ACCOUNT_ID)"],
];

function toFailure(call: string, response: Response | null, { errors }: Envelope): Error {
  if (response === null) {
    return new DeployFailure(
      `Cloudflare's API did not answer ${call}`,
      "look at your connection and at https://www.cloudflarestatus.com, then run the command again",
    );
  }
  const { code = 0, message = "no reason given" } = errors?.[0] ?? {};
  if (response.status === 401 || (response.status === 403 && code !== 10042)) {
    const right = RIGHTS.find(([path]) => path.test(call))?.[1] ?? "the rights of docs/guide/operate.md";
    return new DeployFailure(
      `Cloudflare refused ${call}: ${message} (HTTP ${response.status})`,
      `log in with \`npx wrangler login\`, or give the API token this right: ${right}; then run the command again`,
    );
  }
  return new ApiFailure(call, response.status, code, message);
}
