import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type ApiCall, CloudflareAccount, Content, Page } from "./cloudflare-account.ts";
import { Refusal } from "./cloudflare-refusal.ts";
import { R2PartsStore } from "./r2-parts-store.ts";
import type { DeployedWorker } from "./deployed-worker.ts";

const PREFIX = "/client/v4";

/**
 * What happens to a call instead of its answer. `refuse`: nothing was done, and that stays so. `lose`: it was done, and the
 * connection broke before the answer. `limit`: too many calls, once. `kill`: whoever called is killed before or after it.
 */
export type Trouble =
  | { readonly kind: "refuse" | "lose" | "limit"; readonly call: string }
  | { readonly kind: "kill"; readonly nth: number; readonly when: "before" | "after"; kill(): void };

/** One call that arrived. */
export interface SeenCall {
  /** Method and pattern of the path. */
  readonly name: string;
  readonly status: number;
}

interface Route {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly params: readonly string[];
  readonly handle: (call: ApiCall) => unknown;
}

function toRoute([name, handle]: [string, (call: ApiCall) => unknown]): Route {
  const [method = "", path = ""] = name.split(" ");
  const params = [...path.matchAll(/:(\w+)/g)].map(([, param]) => param ?? "");
  const pattern = path.replaceAll(/:\w+(\*?)/g, (_, rest: string) => (rest === "" ? "([^/]+)" : "(.+)"));
  return { name, method, pattern: new RegExp(`^${pattern}$`), params, handle };
}

/** A small Cloudflare API on this machine, for one account. It refuses whatever the real one would refuse. */
export class CloudflareApi {
  readonly account = new CloudflareAccount();
  readonly token = "token-of-the-operator-0123456789";
  readonly seen: SeenCall[] = [];
  /** Calls that it does not know: there must be none. */
  readonly unknown: string[] = [];
  /** Answers requests to the deployed Workers. */
  answer: (worker: DeployedWorker, request: Request) => Promise<Response> = async () =>
    new Response("not found", { status: 404 });
  /** The operator's token, as R2 knows it. */
  readonly partsStore = new R2PartsStore({
    accountId: this.account.id,
    bucket: "almanac-media",
    credentials: {
      accessKeyId: this.account.tokenId,
      secretAccessKey: createHash("sha256").update(this.token).digest("hex"),
    },
    objects: this.account.objects,
  });
  trouble: Trouble | null = null;
  /** Told of every call before it is done and after; the call waits for what it returns. */
  onCall: (call: { readonly name: string }, isDone: boolean) => unknown = () => undefined;
  /** What the token may not do, by the beginning of a call's name. */
  readonly missingRights: string[] = [];
  readonly #routes = Object.entries(this.account.calls).map(toRoute);
  #server: Server | undefined;
  #nth = 0;

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.account.origin = this.origin;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Begins a new run of the command: calls are counted from one. */
  begin(trouble: Trouble | null = null): void {
    this.trouble = trouble;
    this.#nth = 0;
    this.seen.length = 0;
  }

  get origin(): string {
    const address = this.#server?.address() as AddressInfo | undefined;
    return `http://127.0.0.1:${address?.port}`;
  }

  get baseUrl(): string {
    return this.origin + PREFIX;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.origin);
    const host = request.headers["x-requested-host"];
    if (host === this.partsStore.host) {
      const headers = new Headers(request.headers as Record<string, string>);
      const answer = this.partsStore.answer(request.method ?? "GET", url, headers, await buffer(request));
      this.seen.push({ name: `${request.method} parts`, status: answer.status });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
      return;
    }
    if (typeof host === "string") {
      await this.#serveWorker(host, url, request, response);
      return;
    }
    const dumped = /^\/dumps\/(.+)\.sql$/.exec(url.pathname)?.[1];
    if (dumped !== undefined) {
      response.end(this.account.database(dumped).exported);
      return;
    }
    const body = await buffer(request);
    const sqlFile = /^\/sql-files\/(.+)$/.exec(url.pathname)?.[1];
    if (sqlFile !== undefined) {
      this.account.sqlFiles.set(sqlFile, body.toString("utf8"));
      response.writeHead(200, { etag: `"${createHash("md5").update(body).digest("hex")}"` }).end();
      return;
    }
    const found = this.#find(request.method ?? "GET", url.pathname.slice(PREFIX.length));
    if (found === null) {
      this.unknown.push(`${request.method} ${url.pathname}`);
      send(response, 404, failure(7003, "no route for that URI"));
      return;
    }
    this.#nth += 1;
    const { trouble } = this;
    const isKill = trouble?.kind === "kill" && trouble.nth === this.#nth;
    if (isKill && trouble.when === "before") {
      trouble.kill();
      response.destroy();
      return;
    }
    const hit = trouble !== null && trouble.kind !== "kill" && trouble.call === found.route.name ? trouble.kind : null;
    await this.onCall(found.route, false);
    const { status, answer } = await this.#answer(found, url, request, body, hit);
    await this.onCall(found.route, true);
    this.seen.push({ name: found.route.name, status });
    if (isKill) {
      trouble.kill();
    }
    if (isKill || hit === "lose") {
      this.trouble = null;
      response.destroy();
      return;
    }
    if (status === 429) {
      this.trouble = null;
      response.setHeader("retry-after", "1");
    }
    if (answer instanceof Content) {
      response.writeHead(status, { "content-type": answer.contentType });
      response.end(answer.bytes);
      return;
    }
    send(response, status, answer);
  }

  async #answer(
    { route, params }: { readonly route: Route; readonly params: Record<string, string> },
    url: URL,
    request: IncomingMessage,
    body: Buffer,
    hit: "refuse" | "lose" | "limit" | null,
  ): Promise<{ readonly status: number; readonly answer: object }> {
    if (hit === "refuse") {
      // A gateway's error at the upload of files makes wrangler try for ten minutes.
      const status = route.name.endsWith("/assets/upload") ? 400 : 503;
      return { status, answer: failure(10_013, "an unknown error has occurred") };
    }
    if (hit === "limit") {
      return { status: 429, answer: failure(971, "Please wait and consider throttling your request speed") };
    }
    const isUpload = route.name.endsWith("/assets/upload");
    const authorization = request.headers.authorization ?? "";
    if (authorization !== `Bearer ${this.token}` && !(isUpload && authorization.startsWith("Bearer "))) {
      return { status: 403, answer: failure(9109, "Invalid access token") };
    }
    if (this.missingRights.some((right) => route.name.includes(right))) {
      return { status: 403, answer: failure(10_000, "Authentication error") };
    }
    if (params["account"] !== undefined && params["account"] !== this.account.id) {
      return { status: 403, answer: failure(9106, "not an account of this token") };
    }
    try {
      const result = await route.handle({
        params,
        query: url.searchParams,
        json: async <T>() => JSON.parse(body.toString("utf8")) as T,
        form: () =>
          new Response(new Uint8Array(body), {
            headers: { "content-type": request.headers["content-type"] ?? "" },
          }).formData(),
        bytes: () => new Uint8Array(body),
        contentType: request.headers["content-type"] ?? "",
        jurisdiction: new Headers(request.headers as Record<string, string>).get("cf-r2-jurisdiction"),
      });
      if (result instanceof Content) {
        return { status: 200, answer: result };
      }
      const page = result instanceof Page ? { result: result.result, result_info: result.info } : { result };
      return { status: 200, answer: { success: true, errors: [], messages: [], ...page } };
    } catch (error) {
      if (error instanceof Refusal) {
        return { status: error.status, answer: failure(error.code, error.message) };
      }
      throw error;
    }
  }

  #find(method: string, path: string): { readonly route: Route; readonly params: Record<string, string> } | null {
    for (const route of this.#routes) {
      const match = route.method === method ? route.pattern.exec(path) : null;
      if (match !== null) {
        const values = match.slice(1).map(decodeURIComponent);
        return { route, params: Object.fromEntries(route.params.map((param, at) => [param, values[at] ?? ""])) };
      }
    }
    return null;
  }

  async #serveWorker(host: string, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const worker = this.account.workerAt(host);
    const answer =
      worker === undefined
        ? new Response("error code: 1042", { status: 404 })
        : await this.answer(worker, workerRequest(host, url, request)).catch(
            (error: unknown) => new Response(String(error), { status: 500 }),
          );
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  }
}

/** What the client sent to the Worker; requests with a body are not needed. */
function workerRequest(host: string, url: URL, { method = "GET", headers }: IncomingMessage): Request {
  const authorization = headers.authorization;
  return new Request(`https://${host}${url.pathname}${url.search}`, {
    method,
    headers: authorization === undefined ? {} : { authorization },
  });
}

const failure = (code: number, message: string) => ({
  success: false,
  errors: [{ code, message }],
  messages: [],
  result: null,
});

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
