import { createHash, timingSafeEqual } from "node:crypto";
import type { Config } from "#config.ts";

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();

/**
 * Whether a request shows the operator's key as its bearer token. Digests are compared, so that the time tells neither the key nor
 * its length; where no key is set nothing is accepted.
 */
export function isOperator({ operatorKey }: Pick<Config, "operatorKey">, headers: Headers): boolean {
  const shown = /^Bearer (?<key>\S+)$/.exec(headers.get("authorization") ?? "")?.groups?.["key"];
  return operatorKey !== null && shown !== undefined && timingSafeEqual(digest(shown), digest(operatorKey));
}
