import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { seal, unseal } from "#core/aes-gcm.ts";
import { type Actor, fixedWorkspace } from "#core/actor.ts";
import type { RefusalCode } from "#core/codes.ts";
import { sha256Hex } from "#core/encoding.ts";
import { refuse, RefusalError } from "#core/errors.ts";
import { canonicalJson, type JsonObject } from "#core/json.ts";
import type { Context } from "#context.ts";
import { log } from "#core/log.ts";
import { TRIAL_STORED_ANSWERS } from "#core/plan.ts";
import type { ApiContext, ApiEnv } from "./env.ts";
import {
  claimKey,
  endLease,
  type UserKey,
  releaseKey,
  type StoredResponse,
  storeResponse,
} from "./store-idempotency.ts";

const HEADER = "idempotency-key";
const MAX_KEY_LENGTH = 255;

/**
 * The longest response that is stored whole, after encryption and encoding. A post's captions alone can take a
 * megabyte.
 */
export const MAX_STORED_LENGTH = 8 * 1024;

/** How to repeat a response that is too large to store. If an operation has none, a repeated call runs again. */
export interface LargeResponse {
  /** Reduces a response to the ids and short texts from which it can be built again. */
  toReference(ctx: Context, body: JsonObject): JsonObject;
  /** Builds the response again from its reference and the current rows. */
  rebuild(ctx: Context, reference: JsonObject): JsonObject | Promise<JsonObject>;
}

function readKey(c: ApiContext): string | null {
  const key = c.req.raw.headers.get(HEADER);
  // U+FFFD stands for bytes that are not UTF-8. Two different keys could both become it and count as equal, so it is
  // refused.
  if (key !== null && (key.length < 1 || key.length > MAX_KEY_LENGTH || key.includes("\uFFFD"))) {
    refuse({
      code: "invalid_request",
      message: `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} readable characters`,
      param: "Idempotency-Key",
    });
  }
  return key;
}

/** The same text in two workspaces is two calls. No header contains a line feed, so no caller's text is that of another workspace. */
function storedKey(actor: Actor, key: string): string {
  // mutant: idempotency-without-workspace
  const workspace = fixedWorkspace(actor);
  return workspace === null ? key : `${workspace}\n${key}`;
}

async function requestHash(c: ApiContext): Promise<string> {
  const { body } = c.var;
  const canonical = body === undefined ? "" : canonicalJson(body);
  return sha256Hex(`${c.req.method}\n${c.req.path}\n${canonical}`);
}

/** The purpose for encrypting a stored response, so that it cannot be decrypted for another key or user. */
const sealPurpose = ({ userId, key }: UserKey) => `idempotency:${userId}:${key}`;

async function readStoredBody(
  c: ApiContext,
  userKey: UserKey,
  stored: StoredResponse,
  large: LargeResponse | undefined,
): Promise<string> {
  if ("sealedBody" in stored) {
    return unseal(c.get("ctx").config, sealPurpose(userKey), stored.sealedBody);
  }
  if (!large) {
    throw new Error("the operation of a stored reference cannot rebuild its response");
  }
  return JSON.stringify(await large.rebuild(c.get("ctx"), JSON.parse(stored.reference) as JsonObject));
}

async function replay(
  c: ApiContext,
  userKey: UserKey,
  stored: StoredResponse,
  large: LargeResponse | undefined,
): Promise<Response> {
  const body = await readStoredBody(c, userKey, stored, large);
  c.header("Idempotent-Replayed", "true");
  c.header("Content-Type", "application/json");
  return c.body(body, stored.status as ContentfulStatusCode);
}

/** Refusals that end without a change of the call, for example when a person approves or KV shows the token. */
const PASSING: readonly string[] = ["approval_required", "token_not_visible_yet"] satisfies RefusalCode[];

/**
 * Whether a response is stored for repeated calls. A 429, a server error and a passing refusal are not, because a retry
 * may succeed.
 */
function isFinal(c: ApiContext): boolean {
  const { status } = c.res;
  const passes = c.error instanceof RefusalError && PASSING.includes(c.error.refusal.code);
  return status < 500 && status !== 429 && !passes;
}

/** Stores a response, encrypted because it can contain secrets: a confirmation token, or the state of a connect URL. */
async function saveResponse(
  c: ApiContext,
  userKey: UserKey,
  leaseUntil: number,
  large: LargeResponse | undefined,
): Promise<void> {
  const { db, config, ids } = c.get("ctx");
  const { status } = c.res;
  if (!isFinal(c)) {
    return releaseKey(db, userKey, leaseUntil);
  }
  const text = await c.res.clone().text();
  const sealedBody = text.length > MAX_STORED_LENGTH ? null : await seal(config, ids, sealPurpose(userKey), text);
  if (sealedBody !== null && sealedBody.length <= MAX_STORED_LENGTH) {
    return storeResponse(db, userKey, leaseUntil, { status, sealedBody });
  }
  if (c.res.ok && large) {
    const reference = JSON.stringify(large.toReference(c.get("ctx"), JSON.parse(text) as JsonObject));
    return storeResponse(db, userKey, leaseUntil, { status, reference });
  }
  // The response is not stored, so a repeated call runs again. This is safe: a refusal changed nothing, and a preview,
  // a sync or an import has the same effect twice.
  return endLease(db, userKey, leaseUntil);
}

/** Stores a response and only logs a failure, because the call itself has succeeded. */
async function saveResponseOrLog(
  c: ApiContext,
  userKey: UserKey,
  leaseUntil: number,
  large: LargeResponse | undefined,
): Promise<void> {
  try {
    await saveResponse(c, userKey, leaseUntil, large);
  } catch (error) {
    log("error", "api.response_not_stored", {
      request_id: c.get("requestId"),
      error: error instanceof Error ? error.name : typeof error,
    });
  }
}

/**
 * Implements the `Idempotency-Key` header: the first call runs, and later calls with the same key and body get its
 * response.
 */
export function idempotent(large?: LargeResponse): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const key = readKey(c);
    if (key === null) {
      return next();
    }
    const { actor, db, clock } = c.get("ctx");
    const userKey = { userId: actor.userId, key: storedKey(actor, key) };
    const maxKeys = actor.isTrial ? TRIAL_STORED_ANSWERS : null;
    const claim = await claimKey(db, userKey, { requestHash: await requestHash(c), maxKeys, now: clock.now() });
    switch (claim.state) {
      case "claimed":
        await next();
        return saveResponseOrLog(c, userKey, claim.leaseUntil, large);
      case "running":
        c.header("Retry-After", "1");
        return refuse({
          code: "idempotency_key_in_use",
          message: "the first call with this Idempotency-Key is still running: try again in a second",
          param: "Idempotency-Key",
        });
      case "too_many_keys":
        return refuse({
          code: "quota_exceeded",
          message: `a trial makes ${TRIAL_STORED_ANSWERS} calls with an Idempotency-Key in 24 hours: leave the key out, or choose a plan`,
          param: "Idempotency-Key",
        });
      case "different_request":
        return refuse({
          code: "idempotency_key_reused",
          message: "this Idempotency-Key was used for another call: send a new one",
          param: "Idempotency-Key",
        });
      case "completed":
        return replay(c, userKey, claim.response, large);
    }
  };
}
