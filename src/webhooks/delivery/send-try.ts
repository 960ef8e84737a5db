import type { Services } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import { fetchAnswer } from "#core/fetch-answer.ts";
import type { DeliveryTry } from "#core/webhook-sender.ts";
import { checkWebhookAddress } from "./check-address.ts";
import { type AnswerMeaning, readAnswer } from "./read-answer.ts";
import { signatureHeaders } from "./sign.ts";

const TIMEOUT_MS = 10 * SECOND;
// mutant: whole-answer-of-a-receiver
const MAX_RESPONSE_BYTES = 1024;

export interface TryResult {
  readonly attempt: DeliveryTry;
  readonly meaning: AnswerMeaning;
}

interface Message {
  /** The id of the event, the same for every try. */
  readonly id: string;
  readonly body: string;
}

/** Sends a message once. Never throws, because the result contains any error. */
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
  try {
    const { status, headers, bytes } = await fetchAnswer(
      (request) => services.outbound.publicFetch(request),
      checked.value,
      {
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
      },
      { maxBytes: MAX_RESPONSE_BYTES, timeoutMs: TIMEOUT_MS },
    );
    return {
      attempt: { at, durationMs: clock.now() - at, status, error: null, response: toLoggedText(bytes) },
      meaning: readAnswer({ status, retryAfter: headers.get("retry-after") }, clock.now()),
    };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return noAnswer(isLate ? `no answer within ${TIMEOUT_MS / SECOND} s` : "the connection failed");
  }
}

/** The first bytes of the answer as text, for the log only. */
function toLoggedText(bytes: Uint8Array): string {
  // Decode as a stream, so that a character that the limit cuts is left out. SQLite would end a text at the null
  // character.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll("\u0000", "\uFFFD");
}
