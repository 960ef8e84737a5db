import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { seal, unseal } from "#accounts/tokens/aes-gcm.ts";
import { sha256Hex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { canonicalJson } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { ApiContext, ApiEnv } from "./env.ts";
import { claimKey, type UserKey, releaseKey, type SealedResponse, storeResponse } from "./store-idempotency.ts";

const HEADER = "idempotency-key";
const MAX_KEY_LENGTH = 255;

function readKey(c: ApiContext): string | null {
  const key = c.req.raw.headers.get(HEADER);
  // U+FFFD replaces bytes that are not UTF-8, so two different keys could become equal.
  if (key !== null && (key.length < 1 || key.length > MAX_KEY_LENGTH || key.includes("\uFFFD"))) {
    refuse({
      code: "invalid_request",
      message: `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} readable characters`,
      param: "Idempotency-Key",
    });
  }
  return key;
}

async function requestHash(c: ApiContext): Promise<string> {
  const { body } = c.var;
  const canonical = body === undefined ? "" : canonicalJson(body);
  return sha256Hex(`${c.req.method}\n${c.req.path}\n${canonical}`);
}

/** Binds a sealed response to its row, so it cannot be opened for another key. */
const sealPurpose = ({ userId, key }: UserKey) => `idempotency:${userId}:${key}`;

async function replay(c: ApiContext, userKey: UserKey, { status, sealedBody }: SealedResponse): Promise<Response> {
  const body = await unseal(c.var.services.config, sealPurpose(userKey), sealedBody);
  c.header("Idempotent-Replayed", "true");
  c.header("Content-Type", "application/json");
  return c.body(body, status as ContentfulStatusCode);
}

/** Responses to 429 and server errors are not stored, because a retry may succeed. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 429;
}

/** Responses can contain secrets (a confirmation token, the state of a connect URL), so they are encrypted at rest. */
async function saveResponse(c: ApiContext, userKey: UserKey, leaseUntil: number): Promise<void> {
  const { db, config, ids } = c.var.services;
  const { status } = c.res;
  if (isFinal(status)) {
    const sealedBody = await seal(config, ids, sealPurpose(userKey), await c.res.clone().text());
    await storeResponse(db, userKey, leaseUntil, { status, sealedBody });
  } else {
    await releaseKey(db, userKey, leaseUntil);
  }
}

/** A failure to store the response must not change the response. */
async function saveResponseOrLog(c: ApiContext, userKey: UserKey, leaseUntil: number): Promise<void> {
  try {
    await saveResponse(c, userKey, leaseUntil);
  } catch (error) {
    log("error", "api.response_not_stored", {
      request_id: c.var.requestId,
      error: error instanceof Error ? error.name : typeof error,
    });
  }
}

/** Implements `Idempotency-Key`: the first call runs; later calls with the same key and body get its response. */
export const idempotent: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = readKey(c);
  if (key === null) {
    return next();
  }
  const { db, clock } = c.var.services;
  const userKey = { userId: c.var.ctx.actor.userId, key };
  const claim = await claimKey(db, userKey, await requestHash(c), clock.now());
  switch (claim.state) {
    case "claimed":
      await next();
      return saveResponseOrLog(c, userKey, claim.leaseUntil);
    case "running":
      c.header("Retry-After", "1");
      return refuse({
        code: "idempotency_key_in_use",
        message: "the first call with this Idempotency-Key is still running: try again in a second",
        param: "Idempotency-Key",
      });
    case "different_request":
      return refuse({
        code: "idempotency_key_reused",
        message: "this Idempotency-Key was used for another call: send a new one",
        param: "Idempotency-Key",
      });
    case "completed":
      return replay(c, userKey, claim.response);
  }
};
