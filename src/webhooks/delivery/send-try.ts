import type { Services } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import type { DeliveryTry } from "#core/webhook-sender.ts";
import { withTimeout } from "#core/with-timeout.ts";
import { checkWebhookAddress } from "./check-address.ts";
import { type AnswerMeaning, readAnswer } from "./read-answer.ts";
import { signatureHeaders } from "./sign.ts";

const TIMEOUT_MS = 10 * SECOND;
// mutant: whole-answer-of-a-receiver
const MAX_RESPONSE_BYTES = 1024;

class NoAnswer extends Error {}

export interface TryResult {
  readonly attempt: DeliveryTry;
  readonly meaning: AnswerMeaning;
}

interface Message {
  /** The id of the event; every try has the same one. */
  readonly id: string;
  readonly body: string;
}

/** Sends a message once. Never throws: the result contains any error. */
export async function sendTry(
  services: Pick<Services, "clock" | "config" | "outbound">,
  receiver: { readonly url: string; readonly secrets: readonly string[] },
  message: Message,
): Promise<TryResult> {
  const { clock } = services;
  const at = clock.now();
  const noAnswer = (error: string): TryResult => ({
    attempt: { at, durationMs: clock.now() - at, status: null, error, response: "" },
    meaning: readAnswer(null, clock.now()),
  });
  // mutant: address-checked-once
  const checked = await checkWebhookAddress(services, receiver.url);
  if (!checked.ok) {
    return noAnswer(checked.problem.message);
  }
  const abort = new AbortController();
  const deadline = clock.now() + TIMEOUT_MS;
  try {
    const request = new Request(checked.value, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        // mutant: secret-in-a-header
        "user-agent": "Almanac-Webhooks/1",
        ...(await signatureHeaders(message, receiver.secrets, clock.now())),
      },
      body: message.body,
      // mutant: redirect-of-a-receiver
      redirect: "manual",
      signal: abort.signal,
    });
    const sending = services.outbound.publicFetch(request);
    const response = await withTimeout(sending, TIMEOUT_MS, () => new NoAnswer());
    const { status } = response;
    const text = await readStart(response, deadline - clock.now());
    const retryAfter = response.headers.get("retry-after");
    return {
      attempt: { at, durationMs: clock.now() - at, status, error: null, response: text },
      meaning: readAnswer({ status, retryAfter }, clock.now()),
    };
  } catch (error) {
    return noAnswer(error instanceof NoAnswer ? `no answer within ${TIMEOUT_MS / SECOND} s` : "the connection failed");
  } finally {
    abort.abort();
  }
}

/** Reads the first bytes of the answer, within the time limit; only the log needs them. */
async function readStart(response: Response, waitMs: number): Promise<string> {
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
  if (reader === undefined) {
    return "";
  }
  const decoder = new TextDecoder();
  let text = "";
  let left = MAX_RESPONSE_BYTES;
  const readAll = async () => {
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) {
        break;
      }
      // Decodes as a stream, so that a character cut at the limit is left out.
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
    }
  };
  try {
    await withTimeout(readAll(), waitMs, () => new NoAnswer());
  } catch {
    // A broken answer keeps the bytes that have arrived.
  }
  reader.cancel().catch(() => undefined);
  // SQLite ends a text at this character.
  return text.replaceAll("\u0000", "\uFFFD");
}
