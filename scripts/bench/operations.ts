import { DAY, MINUTE } from "#core/clock.ts";
import type { BenchUser } from "./bench-data.ts";

export const OPERATIONS = ["list", "get", "preview", "confirm"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Requests in one round, enough that background work of the runtime does not matter. */
export const REQUESTS_PER_ROUND: Record<Operation, number> = { list: 40, get: 100, preview: 60, confirm: 60 };

export interface BenchRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

const CONCURRENCY = 4;
const FIRST_DUE_MS = 30 * DAY;
const DAYS = 300;
const CAPTION =
  "The kiln is cold and the new glaze is out: a celadon that took us forty-one tries. Doors open on Saturday at ten. https://example.com/open-house #ceramics";

/** The body of preview `index`: a text for two platforms, with an option, on a day with few other posts. */
function previewBody({ accountIds }: BenchUser, index: number): string {
  return JSON.stringify({
    caption: `${CAPTION} (${index})`,
    scheduled_at: new Date(Date.now() + FIRST_DUE_MS + (index % DAYS) * DAY + index * MINUTE).toISOString(),
    targets: accountIds.map((account_id, nth) => ({
      account_id,
      ...(nth === 0 && { platform_options: { reply_settings: "following" } }),
    })),
  });
}

/** Creates the benchmark requests. Confirm `index` needs the token from the response to preview `index`. */
export class RequestFactory {
  readonly #user: BenchUser;
  readonly #postIds: readonly string[];
  readonly #tokens = new Map<number, string>();

  constructor(user: BenchUser, postIds: readonly string[]) {
    this.#user = user;
    this.#postIds = postIds;
  }

  createRequest(operation: Operation, index: number): BenchRequest {
    switch (operation) {
      case "list":
        return { method: "GET", path: "/v1/posts" };
      case "get":
        return { method: "GET", path: `/v1/posts/${this.#postIds[index % this.#postIds.length]}` };
      case "preview":
        return { method: "POST", path: "/v1/posts/preview", body: previewBody(this.#user, index) };
      case "confirm":
        return {
          method: "POST",
          path: "/v1/posts/confirm",
          body: JSON.stringify({ confirmation_token: this.#tokens.get(index) }),
        };
    }
  }

  recordResponse(operation: Operation, index: number, responseText: string): void {
    if (operation === "preview") {
      const { confirmation_token } = JSON.parse(responseText) as { confirmation_token: string };
      this.#tokens.set(index, confirmation_token);
    }
  }
}

/** Sends one request; throws unless the status is 200. */
export async function send(origin: string, key: string, { method, path, body }: BenchRequest): Promise<string> {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  if (response.status !== 200) {
    throw new Error(`${method} ${path} returned ${response.status}: ${text.slice(0, 1000)}`);
  }
  return text;
}

/** Calls `work` with `count` numbers, starting at `first`, a few at a time. */
export async function runConcurrently(
  first: number,
  count: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = first;
  const worker = async () => {
    while (next < first + count) {
      await work(next++);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
