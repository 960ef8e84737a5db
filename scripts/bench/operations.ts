import { DAY, MINUTE } from "#core/clock.ts";
import type { Person } from "./fill.ts";

export const OPERATIONS = ["list", "get", "preview", "confirm"] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Requests in one turn, enough that a turn outweighs what a runtime does beside them. */
export const A_TURN: Record<Operation, number> = { list: 40, get: 100, preview: 60, confirm: 60 };

export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

const AT_ONCE = 4;
const FIRST_DUE_MS = 30 * DAY;
const DAYS = 300;
const CAPTION =
  "The kiln is cold and the new glaze is out: a celadon that took us forty-one tries. Doors open on Saturday at ten. https://example.com/open-house #ceramics";

/** What is previewed as number `index`: a text on two platforms, with an option, on a day that few others share. */
function previewBody({ accountIds }: Person, index: number): string {
  return JSON.stringify({
    caption: `${CAPTION} (${index})`,
    scheduled_at: new Date(Date.now() + FIRST_DUE_MS + (index % DAYS) * DAY + index * MINUTE).toISOString(),
    targets: accountIds.map((account_id, nth) => ({
      account_id,
      ...(nth === 0 && { platform_options: { reply_settings: "following" } }),
    })),
  });
}

/** The calls of a caller that has filled tables before it; a confirm needs the token of the preview of the same number. */
export class Caller {
  readonly #person: Person;
  readonly #postIds: readonly string[];
  readonly #tokens = new Map<number, string>();

  constructor(person: Person, postIds: readonly string[]) {
    this.#person = person;
    this.#postIds = postIds;
  }

  call(operation: Operation, index: number): Call {
    switch (operation) {
      case "list":
        return { method: "GET", path: "/v1/posts" };
      case "get":
        return { method: "GET", path: `/v1/posts/${this.#postIds[index % this.#postIds.length]}` };
      case "preview":
        return { method: "POST", path: "/v1/posts/preview", body: previewBody(this.#person, index) };
      case "confirm":
        return {
          method: "POST",
          path: "/v1/posts/confirm",
          body: JSON.stringify({ confirmation_token: this.#tokens.get(index) }),
        };
    }
  }

  learn(operation: Operation, index: number, answer: string): void {
    if (operation === "preview") {
      const { confirmation_token } = JSON.parse(answer) as { confirmation_token: string };
      this.#tokens.set(index, confirmation_token);
    }
  }
}

/** Sends one call; anything but success ends the run with the answer in it. */
export async function send(origin: string, key: string, { method, path, body }: Call): Promise<string> {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body }),
  });
  const answer = await response.text();
  if (response.status !== 200) {
    throw new Error(`${method} ${path} answered ${response.status}: ${answer.slice(0, 1000)}`);
  }
  return answer;
}

/** The numbers from `first` on, `count` of them, a few at once. */
export async function inTurn(first: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = first;
  const one = async () => {
    while (next < first + count) {
      await work(next++);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}
