import { type Agent, request as httpRequest } from "node:http";
import { DAY, MINUTE } from "#core/clock.ts";

/* The operations that the benchmark measures. */

export const READS = ["list 50", "list 100", "get", "summary", "401", "404"] as const;
const WRITES = ["preview", "confirm", "edit preview", "edit confirm", "cancel"] as const;
export const OPERATIONS = [...READS, ...WRITES] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Whether the operation changes nothing. */
export function isRead(operation: Operation): boolean {
  return (READS as readonly Operation[]).includes(operation);
}

export function isOperation(text: string): text is Operation {
  if (!(OPERATIONS as readonly string[]).includes(text)) {
    throw new Error(`${text} is none of: ${OPERATIONS.join(", ")}`);
  }
  return true;
}

/** What a filled database has for the requests. */
export interface RequestData {
  readonly key: string;
  /** A well-formed key that belongs to no user. */
  readonly unknownKey: string;
  readonly accountIds: readonly string[];
  readonly postIds: readonly string[];
  /** The id of a post that does not exist, as if created now, because the service looks for an old one in the archive too. */
  readonly unknownPostId: string;
}

export interface BenchRequest {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly expectedStatus: number;
}

const FIRST_DUE_MS = 30 * DAY;
const DAYS = 300;
const MINUTES = 1440;
const CAPTION =
  "The kiln is cold and the new glaze is out: a celadon that took us forty-one tries. Doors open on Saturday at ten. https://example.com/open-house #ceramics";

/** Makes the requests of a run in their order: a confirm needs the token of its preview, an edit its post. */
export class Requests {
  readonly #data: RequestData;
  readonly #tokens = new Map<Operation, string[]>();
  readonly #posts: string[] = [];
  #previews: number;
  #gets = 0;
  #editPreviews = 0;
  #cancels = 0;

  constructor(data: RequestData, { firstPreview }: { readonly firstPreview: number } = { firstPreview: 0 }) {
    this.#data = data;
    this.#previews = firstPreview;
  }

  next(operation: Operation): BenchRequest {
    const { key, unknownKey, postIds } = this.#data;
    const read = (path: string): BenchRequest => ({ method: "GET", path, key, expectedStatus: 200 });
    const write = (path: string, body: unknown): BenchRequest => ({
      method: "POST",
      path,
      key,
      body,
      expectedStatus: 200,
    });
    switch (operation) {
      case "list 50":
        return read("/v1/posts?limit=50");
      case "list 100":
        return read("/v1/posts?limit=100");
      case "get":
        return read(`/v1/posts/${postIds[this.#gets++ % postIds.length]}`);
      case "summary":
        return read("/v1/schedule/summary");
      case "401":
        return { ...read("/v1/posts?limit=50"), key: unknownKey, expectedStatus: 401 };
      case "404":
        return { ...read(`/v1/posts/${this.#data.unknownPostId}`), expectedStatus: 404 };
      case "preview":
        return write("/v1/posts/preview", this.#previewBody(this.#previews++));
      case "confirm":
        return write("/v1/posts/confirm", { confirmation_token: this.#tokens.get("preview")?.shift() });
      case "edit preview":
        return write("/v1/posts/edit/preview", {
          post_ids: [this.#posts[this.#editPreviews++]],
          caption: `${CAPTION} (changed)`,
        });
      case "edit confirm":
        return write("/v1/posts/edit/confirm", { confirmation_token: this.#tokens.get("edit preview")?.shift() });
      case "cancel":
        return { ...write(`/v1/posts/${this.#posts[this.#cancels++]}`, { confirm: true }), method: "DELETE" };
    }
  }

  /** Keeps the parts of a response that later requests need. */
  take(operation: Operation, responseText: string): void {
    if (operation === "preview" || operation === "edit preview") {
      const { confirmation_token: token } = JSON.parse(responseText) as { readonly confirmation_token: string };
      this.#tokens.set(operation, [...(this.#tokens.get(operation) ?? []), token]);
    }
    if (operation === "confirm") {
      const { posts } = JSON.parse(responseText) as { readonly posts: readonly { readonly id: string }[] };
      this.#posts.push(posts[0]?.id ?? "");
    }
  }

  /** A preview's body: a text for all accounts, with an option, on a day with few other posts. */
  #previewBody(index: number): unknown {
    return {
      caption: `${CAPTION} (${index})`,
      scheduled_at: new Date(
        Date.now() + FIRST_DUE_MS + (index % DAYS) * DAY + (index % MINUTES) * MINUTE,
      ).toISOString(),
      targets: this.#data.accountIds.map((account_id, nth) => ({
        account_id,
        ...(nth === 0 && { platform_options: { reply_settings: "following" } }),
      })),
    };
  }
}

/** Sends one request to a Unix socket or a port and returns the body. Throws unless the status is the expected one. */
export async function send(
  to: { readonly socketPath: string } | { readonly port: number },
  agent: Agent,
  { method, path, key, body, expectedStatus }: BenchRequest,
): Promise<string> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const request = httpRequest(
      {
        ...to,
        host: "127.0.0.1",
        agent,
        method,
        path,
        headers: {
          authorization: `Bearer ${key}`,
          ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        },
      },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on("data", (part: Buffer) => parts.push(part));
        incoming.on("error", reject);
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
      },
    );
    request.on("error", reject);
    request.end(text);
  });
  if (response.status !== expectedStatus) {
    throw new Error(`${method} ${path} returned ${response.status}: ${response.text.slice(0, 1000)}`);
  }
  return response.text;
}
