import type { AlmanacEvent, OnWebhookTestWebhookPayload } from "./types.ts";

/** An event as a webhook receives it, told apart by `type`. */
export type WebhookEvent = AlmanacEvent | OnWebhookTestWebhookPayload;

/** The headers of a request: those of `fetch`, or an object as Node has it. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What is verified. */
export interface WebhookRequest {
  /** The secret of the webhook (`whsec_…`); both of them while it is rotated. */
  readonly secret: string | readonly string[];
  /** The headers as they came. */
  readonly headers: WebhookHeaders;
  /** The body as it came: parsing and writing it again changes it. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** How old, or how far ahead, the delivery may be; 300 when absent. */
  readonly toleranceSeconds?: number;
}

/** Why a delivery was refused. */
export type WebhookErrorCode =
  | "missing_header"
  | "invalid_timestamp"
  | "too_old"
  | "too_new"
  | "invalid_secret"
  | "no_matching_signature"
  | "invalid_body";

/** The request is not a delivery of the service, or too old: answer 400 and do nothing with it. */
export class WebhookVerificationError extends Error {
  override readonly name: string = "WebhookVerificationError";
  /** Why it was refused. */
  readonly code: WebhookErrorCode;

  /** Made with the reason. */
  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 300;
const SECRET_PREFIX = "whsec_";
const SIGNATURE_PREFIX = "v1,";

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findHeader(headers, name);
  if (typeof value !== "string" || value === "") {
    throw new WebhookVerificationError("missing_header", `the header ${name} is missing`);
  }
  return value;
}

function findHeader(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof value === "string" ? value : value?.[0];
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

async function importSecret(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(SECRET_PREFIX) ? fromBase64(secret.slice(SECRET_PREFIX.length)) : null;
  if (!bytes || bytes.byteLength === 0) {
    throw new WebhookVerificationError("invalid_secret", "a secret is `whsec_` and base64");
  }
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

function assertRecent(timestamp: string, tolerance: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("invalid_timestamp", "the header webhook-timestamp is not a number of seconds");
  }
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (ageSeconds > tolerance) {
    throw new WebhookVerificationError("too_old", `sent ${Math.round(ageSeconds)} seconds ago`);
  }
  if (ageSeconds < -tolerance) {
    throw new WebhookVerificationError("too_new", `sent ${Math.round(-ageSeconds)} seconds in the future`);
  }
}

/**
 * Verifies a delivery and returns its event. The signature is compared by WebCrypto, which takes the same time for every wrong one.
 *
 * @throws {@link WebhookVerificationError} when it is forged, changed or old.
 */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceSeconds = TOLERANCE_SECONDS,
}: WebhookRequest): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature")
    .split(" ")
    .flatMap((signature) => (signature.startsWith(SIGNATURE_PREFIX) ? [signature.slice(SIGNATURE_PREFIX.length)] : []));
  assertRecent(timestamp, toleranceSeconds);
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const keys = await Promise.all((typeof secret === "string" ? [secret] : secret).map((one) => importSecret(one)));
  for (const key of keys) {
    for (const signature of signatures) {
      const bytes = fromBase64(signature);
      if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) {
        return parseEvent(text);
      }
    }
  }
  throw new WebhookVerificationError(
    "no_matching_signature",
    "no signature matches: forged, changed, or another secret",
  );
}

function parseEvent(text: string): WebhookEvent {
  try {
    return JSON.parse(text) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError("invalid_body", "the body is not JSON");
  }
}
