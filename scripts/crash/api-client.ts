import { secretValues } from "#sandbox/secret-values.ts";
import { sleep } from "../service.ts";

/** The result of an API call as its caller sees it: an answer, or none. */
export type CallOutcome =
  | { readonly answered: true; readonly status: number; readonly body: Record<string, unknown> }
  | { readonly answered: false };

export interface PublishedPost {
  readonly id: string;
  /** The kind of post: `text`, `image`, `story`, `document`, … */
  readonly kind: string;
  readonly text: string;
  readonly title: string | null;
  readonly accepted_at: string;
  readonly media: readonly { readonly sha256: string }[];
}

/** An addition to a post: a comment, the entry of a playlist, or the cover of a video. */
export interface PublishedExtra {
  readonly name: "first_comment" | "playlists" | "cover";
  readonly id: string;
  readonly addedTo: string;
  readonly text: string;
}

/** The locations from which calls come. They matter where KV is slow. */
const LOCATIONS = ["ams", "nrt", "iad"] as const;
const TIMEOUT_MS = 20_000;
/** The longest time without an answer: a busy machine may try a restart several times. */
const MAX_RESTART_MS = 300_000;

/**
 * Paths that read and control the simulators and webhook receivers. If the simulators have their own Worker, it serves
 * the paths.
 */
const SIMULATOR_PATH = /^\/sandbox\/(?:platforms|receivers)/;

export class ApiClient {
  readonly #origin: string;
  readonly #simulatorsOrigin: string;
  /** The secrets in the service's responses: API keys, passwords, confirmation tokens. */
  readonly secrets = new Set<string>();

  constructor(origin: string, simulatorsOrigin = origin) {
    this.#origin = origin;
    this.#simulatorsOrigin = simulatorsOrigin;
  }

  /** Makes a single call without retries, because lost answers are part of the test. */
  async call(method: string, path: string, body?: unknown, apiKey?: string, workspace?: string): Promise<CallOutcome> {
    try {
      const isForSimulators = SIMULATOR_PATH.test(path);
      const response = await fetch((isForSimulators ? this.#simulatorsOrigin : this.#origin) + path, {
        method,
        headers: {
          "x-sandbox-location": LOCATIONS[Math.floor(Math.random() * LOCATIONS.length)] ?? "",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
          ...(workspace !== undefined && { "almanac-workspace": workspace }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const responseBody = JSON.parse(await response.text()) as Record<string, unknown>;
      for (const secret of isForSimulators ? [] : secretValues(responseBody)) {
        this.secrets.add(secret);
      }
      return { answered: true, status: response.status, body: responseBody };
    } catch {
      return { answered: false };
    }
  }

  /** Repeats a call that changes nothing until the service answers 200; the service may be restarting. */
  async callUntilOk(
    method: string,
    path: string,
    body?: unknown,
    apiKey?: string,
    workspace?: string,
  ): Promise<Record<string, unknown>> {
    let outcome: CallOutcome = { answered: false };
    for (const deadline = Date.now() + MAX_RESTART_MS; Date.now() < deadline; await sleep(500)) {
      outcome = await this.call(method, path, body, apiKey, workspace);
      if (outcome.answered && outcome.status === 200) {
        return outcome.body;
      }
    }
    throw new Error(`${method} ${path} never answered 200: ${JSON.stringify(outcome)}`);
  }

  /** Sends a file to a signed URL. False when the file did not arrive. */
  async upload(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<boolean> {
    try {
      const init = { method: "PUT", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) };
      const response = await fetch(url, init);
      await response.text();
      return response.ok;
    } catch {
      return false;
    }
  }

  async publishedPosts(platform: string): Promise<readonly PublishedPost[]> {
    const { posts } = await this.callUntilOk("GET", `/sandbox/platforms/${platform}/posts`);
    return posts as readonly PublishedPost[];
  }

  async publishedExtras(platform: string): Promise<readonly PublishedExtra[]> {
    const { extras } = await this.callUntilOk("GET", `/sandbox/platforms/${platform}/extras`);
    return extras as readonly PublishedExtra[];
  }
}
