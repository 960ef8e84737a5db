import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { request as sendHttp } from "node:http";
import type { OpenApiDocument } from "./document.ts";
import type { NameServer } from "./name-server.ts";

/** A user of the sandbox with an API key of all scopes. */
export interface AttackUser {
  readonly userId: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly password: string;
  readonly key: string;
}

export interface AttackRequest {
  readonly key?: string | undefined;
  readonly cookie?: string | undefined;
  /** The body, sent as JSON. */
  readonly json?: unknown;
  /** The body, sent as a form with our own `Origin`, as our pages do. */
  readonly form?: URLSearchParams | Readonly<Record<string, string>>;
  /** The body, sent unchanged. */
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The caller's address, for the rate limits. By default each request has a new one. */
  readonly address?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as a JSON object; null if it is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each attack reads the members it needs
  readonly json: any;
  readonly location: string | null;
  /** The name and value of each cookie that the answer sets. */
  readonly cookies: readonly string[];
}

const MAX_REQUESTS = 30_000;
const TIMEOUT_MS = 30_000;
/** The status of a request that the service ended without an answer. */
const CONNECTION_CLOSED = 0;
/**
 * What wrangler's development server answers, with status 500, if the service closed the connection. The service itself
 * never answers it.
 */
const PROXY_CONNECTION_CLOSED = "Error: Network connection lost.";

function parseJson(text: string): Answer["json"] {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const one = (value: string | readonly string[] | undefined): string | null =>
  (typeof value === "string" ? value : value?.[0]) ?? null;

/** The service under attack, only on this machine. A server error in any answer is a finding. */
export class AttackedService {
  readonly origin: string;
  readonly document: OpenApiDocument;
  /** A name server that tells the service the addresses of names. */
  readonly names: NameServer;
  readonly #logFile: string;
  readonly #secrets = new Set<string>();
  #requests = 0;
  #serverErrors: string[] = [];

  constructor(origin: string, document: OpenApiDocument, names: NameServer, logFile: string) {
    if (new URL(origin).hostname !== "localhost") {
      throw new Error("attacks are run against a service on this machine only");
    }
    this.origin = origin;
    this.document = document;
    this.names = names;
    this.#logFile = logFile;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Every secret that the attacks have used so far. */
  get secrets(): ReadonlySet<string> {
    return this.#secrets;
  }

  /** Returns the server errors since the last call. */
  takeServerErrors(): readonly string[] {
    const errors = this.#serverErrors;
    this.#serverErrors = [];
    return errors;
  }

  readLog(): Promise<string> {
    return readFile(this.#logFile, "utf8");
  }

  /** Remembers a secret, so that the log can be searched for it. */
  addSecret(secret: string): string {
    this.#secrets.add(secret);
    return secret;
  }

  /** Sends exactly this path and follows no redirects. A client library would rewrite `..`, `//` or `Host`. */
  send(method: string, path: string, request: AttackRequest = {}): Promise<Answer> {
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS) {
      throw new Error(`more than ${MAX_REQUESTS} requests`);
    }
    const form = request.form && String(new URLSearchParams(request.form));
    const body = request.json === undefined ? (form ?? request.body) : JSON.stringify(request.json);
    const headers = {
      "user-agent": "almanac-attack",
      "cf-connecting-ip": request.address ?? randomUUID(),
      ...(request.key !== undefined && { authorization: `Bearer ${request.key}` }),
      ...(request.cookie !== undefined && { cookie: request.cookie }),
      ...(request.json !== undefined && { "content-type": "application/json" }),
      ...(form !== undefined && { "content-type": "application/x-www-form-urlencoded", origin: this.origin }),
      ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
      ...request.headers,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = sendHttp(this.origin, { method, path, headers, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const status =
          text === PROXY_CONNECTION_CLOSED ? CONNECTION_CLOSED : (response.statusCode ?? CONNECTION_CLOSED);
        if (status >= 500) {
          this.#serverErrors.push(`${method} ${path.slice(0, 200)} answered ${status}: ${text.slice(0, 300)}`);
        }
        resolve({
          status,
          headers: response.headers,
          text,
          json: parseJson(text),
          location: one(response.headers.location),
          cookies: (response.headers["set-cookie"] ?? []).map((cookie) => cookie.split(";", 1)[0] ?? ""),
        });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} was not answered within ${TIMEOUT_MS} ms`)));
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The service may close the connection of a request that is too large before it is sent completely.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") {
        resolve({ status: CONNECTION_CLOSED, headers: {}, text: "", json: null, location: null, cookies: [] });
      } else {
        reject(error);
      }
    });
    sent.end(body);
    return promise;
  }

  /** Begins a request whose body never ends. Calling the result ends it. */
  stall(
    method: string,
    path: string,
    { key, body, headers }: { key: string; body: string; headers: Record<string, string> },
  ): () => void {
    const sent = sendHttp(this.origin, { method, path, headers: { ...headers, authorization: `Bearer ${key}` } });
    // The request ends without an answer, so its error is expected.
    sent.on("error", () => null);
    sent.write(body.slice(0, body.length / 2));
    return () => sent.destroy();
  }

  /** Sends a request that the attack needs before it begins, and that must succeed. */
  async prepare(method: string, path: string, request: AttackRequest = {}): Promise<Answer> {
    const answer = await this.send(method, path, request);
    if (answer.status >= 400) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text.slice(0, 500)}`);
    }
    return answer;
  }

  async createUser(input: Readonly<Record<string, unknown>> = {}): Promise<AttackUser> {
    const { json } = await this.prepare("POST", "/sandbox/users", { json: input });
    return {
      userId: json.user_id,
      workspaceId: json.workspace_id,
      email: json.email,
      password: this.addSecret(json.password),
      key: this.addSecret(json.api_key),
    };
  }

  /** Connects an account. Returns its id. */
  async connect({ key }: AttackUser, platform = "x"): Promise<string> {
    const { json } = await this.prepare("POST", "/sandbox/connect", { json: { api_key: key, platform } });
    return json.accounts[0].id;
  }

  /** Signs in. Returns the session cookie. */
  async signIn({ email, password }: AttackUser): Promise<string> {
    const { cookies } = await this.prepare("POST", "/login", { form: { email, password } });
    const cookie = cookies.find((candidate) => candidate.startsWith("__Host-session="));
    if (cookie === undefined) {
      throw new Error("signing in set no session cookie");
    }
    this.addSecret(cookie.slice(cookie.indexOf("=") + 1));
    return cookie;
  }

  /** Schedules a post for tomorrow. Returns its id. */
  async schedulePost({ key }: AttackUser, accountId: string, caption = "Scheduled"): Promise<string> {
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    const { json: previewed } = await this.prepare("POST", "/v1/posts/preview", {
      key,
      json: { caption, scheduled_at: scheduledAt, account_ids: [accountId] },
    });
    const { json: confirmed } = await this.prepare("POST", "/v1/posts/confirm", {
      key,
      json: { confirmation_token: this.addSecret(previewed.confirmation_token) },
    });
    return confirmed.posts[0].id;
  }
}
