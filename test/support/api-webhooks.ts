import { env, exports } from "cloudflare:workers";
import { runDurableObjectAlarm } from "cloudflare:test";
import { type ApiResponse, callApi } from "./call-api.ts";
import type { ApiCaller } from "./create-caller.ts";
import { ORIGIN } from "./origin.ts";

/** A webhook of the caller whose receiver is one of the sandbox's. */
export interface ReceivedWebhook {
  readonly id: string;
  readonly secret: string;
  /** The name of the receiver. */
  readonly receiver: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any member; the shape is checked against the OpenAPI document
  readonly webhook: any;
}

const receiverUrl = (name: string): string => `${ORIGIN}/sandbox/receivers/${name}`;

export const callWebhooks = (
  caller: ApiCaller,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<ApiResponse> =>
  callApi(caller, { method, path: `/webhooks${path}`, headers, ...(body !== undefined && { body }) });

export async function createWebhook(
  caller: ApiCaller,
  body: Readonly<Record<string, unknown>> = {},
): Promise<ReceivedWebhook> {
  const receiver = crypto.randomUUID();
  const created = await callWebhooks(caller, "POST", "", { url: receiverUrl(receiver), types: ["*"], ...body });
  if (created.status !== 201) {
    throw new Error(`creating a webhook answered ${created.status}: ${JSON.stringify(created.body)}`);
  }
  return { id: created.body.webhook.id, secret: created.body.secret, receiver, webhook: created.body.webhook };
}

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver has got, oldest first. */
export async function receivedBy(receiver: string): Promise<readonly Received[]> {
  const response = await exports.default.fetch(receiverUrl(receiver));
  return (await response.json<{ deliveries: readonly Received[] }>()).deliveries;
}

/** Lets a receiver answer in another way; its first answer that applies is given. */
export async function answerWith(receiver: string, answers: readonly object[]): Promise<void> {
  const response = await exports.default.fetch(`${receiverUrl(receiver)}/behaviour`, {
    method: "PUT",
    body: JSON.stringify({ answers }),
  });
  if (!response.ok) {
    throw new Error(`the receiver refuses the behaviour: ${await response.text()}`);
  }
}

/** Lets the webhook's object read the new events and send what is due. */
export async function deliverNow(webhookId: string): Promise<void> {
  const sender = env.SENDERS.get(env.SENDERS.idFromName(webhookId));
  await sender.wake();
  await runDurableObjectAlarm(sender);
}
