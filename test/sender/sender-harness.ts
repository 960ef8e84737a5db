import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { EventType } from "#core/event-type.ts";
import type { WebhookSenderApi } from "#core/webhook-sender.ts";
import { createWebhook } from "#webhooks/index.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  NOON,
  schedulePost,
  type TestContext,
  type TestContextOptions,
} from "../posts/test-context.ts";

interface ReceivedRequest {
  readonly at: number;
  readonly url: string;
  readonly method: string;
  readonly redirect: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly eventId: string;
}

type Answer = (request: ReceivedRequest) => Response | Promise<Response>;

/** A server of somebody else, in the same process. */
class Receiver {
  readonly requests: ReceivedRequest[] = [];
  inFlight = 0;
  mostInFlight = 0;
  answer: Answer = () => new Response("ok");

  async fetch(request: Request): Promise<Response> {
    const received: ReceivedRequest = {
      at: Date.now(),
      url: request.url,
      method: request.method,
      redirect: request.redirect,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      eventId: request.headers.get("webhook-id") ?? "",
    };
    this.requests.push(received);
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    try {
      return await this.answer(received);
    } finally {
      this.inFlight -= 1;
    }
  }

  get eventIds(): readonly string[] {
    return this.requests.map(({ eventId }) => eventId);
  }
}

export interface SenderHarness {
  readonly ctx: TestContext;
  readonly receiver: Receiver;
  readonly webhookId: string;
  readonly secret: string;
  readonly sender: WebhookSenderApi;
  readonly stub: DurableObjectStub;
  /** Lets the alarm ring. */
  readonly ring: () => Promise<void>;
  /** Wakes the sender and lets its alarm ring. */
  readonly run: () => Promise<void>;
  /** The object loses its memory, and keeps its storage and its alarm. */
  readonly restart: () => Promise<void>;
  readonly alarmAt: () => Promise<number | null>;
  /** Writes events of posts, one for each subject named; returns their ids, oldest first. */
  readonly emit: (subjects: readonly string[], type?: EventType) => Promise<readonly string[]>;
  readonly query: <Row>(sql: string) => Promise<Row[]>;
}

export interface HarnessOptions extends TestContextOptions {
  readonly types?: readonly (EventType | "*")[];
  readonly url?: string;
  /** Another webhook of the same workspace. */
  readonly besides?: SenderHarness;
}

const RECEIVER_URL = "https://hooks.example.net/almanac";

/** A webhook with the real Durable Object; only the network and the clock are handed in. */
export async function openSender(options: HarnessOptions = {}): Promise<SenderHarness> {
  const { types = ["*"], url = RECEIVER_URL, besides } = options;
  const receiver = new Receiver();
  const base = besides ? { ...besides.ctx } : createTestContext(options);
  const ctx: TestContext = {
    ...base,
    outbound: { ...base.outbound, publicFetch: (request) => receiver.fetch(request) },
  };
  const { webhook, secret } = await createWebhook(ctx, { url, types });
  const stub = env.SENDERS.get(env.SENDERS.idFromName(webhook.id));
  const attach = () =>
    runInDurableObject(stub, (instance) => {
      Object.assign(instance, { services: () => ctx });
    });
  await attach();
  const sender = stub as unknown as WebhookSenderApi;
  const ring = async () => {
    await runDurableObjectAlarm(stub);
  };
  return {
    ctx,
    receiver,
    webhookId: webhook.id,
    secret,
    sender,
    stub,
    ring,
    async run() {
      await sender.wake();
      await ring();
    },
    async restart() {
      await evictDurableObject(stub);
      await attach();
    },
    alarmAt: () => runInDurableObject(stub, (_, { storage }) => storage.getAlarm()),
    emit: (subjects, type) => emit(ctx, subjects, type),
    query: <Row>(sql: string) =>
      runInDurableObject(stub, (_, { storage }) => storage.sql.exec(sql).toArray() as unknown as Row[]),
  };
}

/** Moves the clock on. */
export function passTime(ms: number): void {
  freezeClock(Date.now() + ms);
}

export function startAtNoon(): void {
  freezeClock(NOON);
}

let template: string | undefined;

/** The data of a real event, as a trigger writes it. */
async function templateData(): Promise<string> {
  if (template === undefined) {
    const ctx = createTestContext();
    await createWebhook(ctx, { url: RECEIVER_URL, types: ["*"] });
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const data = await env.DB.prepare("SELECT data FROM events WHERE workspace_id = ? AND subject_id = ?")
      .bind(ctx.actor.workspaceId, post.id)
      .first<string>("data");
    template = data ?? "";
  }
  return template;
}

async function emit(
  ctx: TestContext,
  subjects: readonly string[],
  type: EventType = "post.updated",
): Promise<readonly string[]> {
  const { workspaceId } = ctx.actor;
  const data = await templateData();
  const insert = env.DB.prepare(
    `INSERT INTO events (workspace_id, seq, type, subject_id, at, data)
     VALUES (?1, max(coalesce((SELECT max(seq) FROM events WHERE workspace_id = ?1), 0) + 1, ?4 * 1000), ?2, ?3, ?4, ?5) RETURNING seq`,
  );
  const now = Date.now();
  const rows = await env.DB.batch<{ seq: number }>(
    subjects.map((subject) => insert.bind(workspaceId, type, subject, now, data)),
  );
  return rows.map(({ results }) => `evt_${results[0]!.seq.toString(36)}_${workspaceId.replaceAll("-", "")}`);
}
