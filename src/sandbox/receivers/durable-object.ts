import { DurableObject } from "cloudflare:workers";
import { toIsoInstant } from "#core/clock.ts";
import type { SandboxEnv } from "#sandbox/env.ts";
import { lostConnectionResponse } from "#sandbox/lost-connection.ts";
import { chooseAnswer, HANG_MS, type ReceiverAnswer, ReceiverBehaviour } from "./behaviour.ts";

/** The number of deliveries that a receiver keeps. Older ones are deleted. */
const DELIVERIES_MAX = 100_000;
/** The most bytes of a list, except for its first delivery. */
const LISTED_BYTES_MAX = 8 * 1024 ** 2;
const BEHAVIOUR_KEY = "behaviour";
const STATUSES_WITHOUT_BODY = new Set([204, 205, 304]);
const LETTERS = new TextEncoder().encode("a".repeat(64 * 1024));

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS deliveries (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, path TEXT NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, answered INTEGER);
`;

/** A request as the receiver got it. */
export interface ReceivedDelivery {
  readonly seq: number;
  /** The time in ISO 8601. */
  readonly received_at: string;
  /** The path including the query. */
  readonly path: string;
  /** The headers with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The status of the answer; null before the answer, and forever if the connection was dropped. */
  readonly answered: number | null;
}

/** The calls for tests and developers on a receiver's Durable Object, besides deliveries. */
export interface ReceiverControl {
  /** The deliveries after a number, oldest first. */
  received(after: number, limit: number): Promise<readonly ReceivedDelivery[]>;
  empty(): Promise<void>;
  behave(behaviour: ReceiverBehaviour): Promise<void>;
}

interface DeliveryRow extends Record<string, SqlStorageValue> {
  seq: number;
  at: number;
  path: string;
  headers: string;
  body: string;
  answered: number | null;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Streams `sizeBytes` letters or, with `everyMs`, one letter at a time without an end. */
function letters(sizeBytes: number, everyMs: number | undefined): ReadableStream<Uint8Array> {
  let left = sizeBytes;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (everyMs !== undefined) {
        await sleep(everyMs);
        controller.enqueue(LETTERS.slice(0, 1));
        return;
      }
      const block = LETTERS.slice(0, Math.min(left, LETTERS.byteLength));
      left -= block.byteLength;
      controller.enqueue(block);
      if (left === 0) {
        controller.close();
      }
    },
  });
}

function responseOf(answer: ReceiverAnswer): Response {
  const init = { status: answer.status, headers: new Headers(answer.headers) };
  if (STATUSES_WITHOUT_BODY.has(answer.status)) {
    return new Response(null, init);
  }
  return answer.drip_ms !== undefined || (answer.body_bytes ?? 0) > 0
    ? new Response(letters(answer.body_bytes ?? 0, answer.drip_ms), init)
    : new Response(answer.body ?? null, init);
}

/** One Durable Object per receiver, so that its deliveries survive a restart of the process. */
export function defineWebhookReceiver() {
  return class WebhookReceiver extends DurableObject<SandboxEnv> implements ReceiverControl {
    constructor(ctx: DurableObjectState, env: SandboxEnv) {
      super(ctx, env);
      ctx.storage.sql.exec(SCHEMA);
    }

    override async fetch(request: Request): Promise<Response> {
      const { pathname, search } = new URL(request.url);
      const { sql } = this.ctx.storage;
      const body = await request.text();
      const headers = JSON.stringify(Object.fromEntries(request.headers));
      const { seq } = sql
        .exec<{ seq: number }>(
          "INSERT INTO deliveries (at, path, headers, body) VALUES (?, ?, ?, ?) RETURNING seq",
          Date.now(),
          pathname + search,
          headers,
          body,
        )
        .one();
      sql.exec("DELETE FROM deliveries WHERE seq <= ?", seq - DELIVERIES_MAX);
      const { answer, next } = chooseAnswer(this.#behaviour, seq);
      this.ctx.storage.kv.put(BEHAVIOUR_KEY, next);
      if (answer.drop === "before") {
        sql.exec("DELETE FROM deliveries WHERE seq = ?", seq);
        return lostConnectionResponse();
      }
      const delayMs = answer.hang === true ? HANG_MS : (answer.delay_ms ?? 0);
      if (delayMs > 0) {
        await sleep(delayMs);
      }
      if (answer.drop === "after") {
        return lostConnectionResponse();
      }
      sql.exec("UPDATE deliveries SET answered = ? WHERE seq = ?", answer.status, seq);
      return responseOf(answer);
    }

    get #behaviour(): ReceiverBehaviour {
      return this.ctx.storage.kv.get<ReceiverBehaviour>(BEHAVIOUR_KEY) ?? ReceiverBehaviour.parse({});
    }

    received(after: number, limit: number): Promise<readonly ReceivedDelivery[]> {
      const listed: ReceivedDelivery[] = [];
      let bytes = 0;
      for (const { at, headers, ...row } of this.ctx.storage.sql.exec<DeliveryRow>(
        "SELECT seq, at, path, headers, body, answered FROM deliveries WHERE seq > ? ORDER BY seq LIMIT ?",
        after,
        limit,
      )) {
        bytes += row.body.length + headers.length;
        if (listed.length > 0 && bytes > LISTED_BYTES_MAX) {
          break;
        }
        const { seq, path, body, answered } = row;
        const names = JSON.parse(headers) as Record<string, string>;
        listed.push({ seq, received_at: toIsoInstant(at), path, headers: names, body, answered });
      }
      return Promise.resolve(listed);
    }

    /** Deletes the deliveries. Numbers continue, so that `after` stays valid. */
    empty(): Promise<void> {
      this.ctx.storage.sql.exec("DELETE FROM deliveries");
      return Promise.resolve();
    }

    behave(behaviour: ReceiverBehaviour): Promise<void> {
      this.ctx.storage.kv.put(BEHAVIOUR_KEY, behaviour);
      return Promise.resolve();
    }
  };
}
