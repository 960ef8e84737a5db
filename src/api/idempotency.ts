import type { MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { seal, unseal } from "#accounts/tokens/aes-gcm.ts";
import { sha256Hex } from "#core/encoding.ts";
import { refuse } from "#core/errors.ts";
import { canonicalJson } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { ApiContext, ApiEnv } from "./env.ts";
import { claimKey, type KeyOfUser, releaseKey, type SealedAnswer, storeAnswer } from "./store-idempotency.ts";

const HEADER = "idempotency-key";
const MAX_KEY_LENGTH = 255;

function keyOf(c: ApiContext): string | null {
  const key = c.req.raw.headers.get(HEADER);
  // U+FFFD stands for bytes that could not be read: two different keys would look the same.
  if (key !== null && (key.length < 1 || key.length > MAX_KEY_LENGTH || key.includes("\uFFFD"))) {
    refuse({
      code: "invalid_request",
      message: `Idempotency-Key must have 1 to ${MAX_KEY_LENGTH} readable characters`,
      param: "Idempotency-Key",
    });
  }
  return key;
}

async function hashOf(c: ApiContext): Promise<string> {
  const { body } = c.var;
  const canonical = body === undefined ? "" : canonicalJson(body);
  return sha256Hex(`${c.req.method}\n${c.req.path}\n${canonical}`);
}

/** Binds what is sealed to its row. */
const purposeOf = ({ userId, key }: KeyOfUser) => `idempotency:${userId}:${key}`;

async function replay(c: ApiContext, of: KeyOfUser, { status, sealedBody }: SealedAnswer): Promise<Response> {
  const body = await unseal(c.var.services.config, purposeOf(of), sealedBody);
  c.header("Idempotent-Replayed", "true");
  c.header("Content-Type", "application/json");
  return c.body(body, status as ContentfulStatusCode);
}

/** What may be different next time is not remembered: the caller should simply try again. */
function isFinal(status: number): boolean {
  return status < 500 && status !== 429;
}

/** A preview's answer holds a confirmation token, a connect URL its state: at rest they are sealed like every secret. */
async function settle(c: ApiContext, of: KeyOfUser, leaseUntil: number): Promise<void> {
  const { db, config, ids } = c.var.services;
  const { status } = c.res;
  if (isFinal(status)) {
    const sealedBody = await seal(config, ids, purposeOf(of), await c.res.clone().text());
    await storeAnswer(db, of, leaseUntil, { status, sealedBody });
  } else {
    await releaseKey(db, of, leaseUntil);
  }
}

/** The caller's answer stands whatever becomes of remembering it. */
async function settleOrLog(c: ApiContext, of: KeyOfUser, leaseUntil: number): Promise<void> {
  try {
    await settle(c, of, leaseUntil);
  } catch (error) {
    log("error", "api.answer_not_remembered", {
      request_id: c.var.requestId,
      error: error instanceof Error ? error.name : typeof error,
    });
  }
}

/** Honours `Idempotency-Key`: the first call runs, every later one with the same body gets its answer. */
export const idempotent: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const key = keyOf(c);
  if (key === null) {
    return next();
  }
  const { db, clock } = c.var.services;
  const of = { userId: c.var.ctx.actor.userId, key };
  const claim = await claimKey(db, of, await hashOf(c), clock.now());
  switch (claim.state) {
    case "mine":
      await next();
      return settleOrLog(c, of, claim.leaseUntil);
    case "running":
      c.header("Retry-After", "1");
      return refuse({
        code: "idempotency_key_in_use",
        message: "the first call with this Idempotency-Key is still running: try again in a second",
        param: "Idempotency-Key",
      });
    case "other_request":
      return refuse({
        code: "idempotency_key_reused",
        message: "this Idempotency-Key was used for another call: send a new one",
        param: "Idempotency-Key",
      });
    case "answered":
      return replay(c, of, claim.answer);
  }
};
