/** What a caller of the API can know of a call: an answer, or that it got none. */
export type Outcome =
  | { readonly answered: true; readonly status: number; readonly body: Record<string, unknown> }
  | { readonly answered: false };

export interface BookEntry {
  readonly id: string;
  readonly text: string;
  readonly accepted_at: string;
}

const TIMEOUT_MS = 20_000;

export class Client {
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** One call, never repeated: a lost answer is part of the test. */
  async call(method: string, path: string, body?: unknown, key?: string): Promise<Outcome> {
    try {
      const response = await fetch(this.#origin + path, {
        method,
        headers: {
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await response.text();
      return { answered: true, status: response.status, body: JSON.parse(text) as Record<string, unknown> };
    } catch {
      return { answered: false };
    }
  }

  /** A call that changes nothing, repeated until the service answers it with 200 (it may be starting again). */
  async must(method: string, path: string, body?: unknown, key?: string): Promise<Record<string, unknown>> {
    let last: Outcome = { answered: false };
    for (let attempt = 0; attempt < 60; attempt += 1) {
      last = await this.call(method, path, body, key);
      if (last.answered && last.status === 200) {
        return last.body;
      }
      await pause(500);
    }
    throw new Error(`${method} ${path} never answered 200: ${JSON.stringify(last)}`);
  }

  async book(platform: string): Promise<readonly BookEntry[]> {
    const { posts } = await this.must("GET", `/sandbox/platforms/${platform}/posts`);
    return posts as readonly BookEntry[];
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
