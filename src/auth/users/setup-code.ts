import { createHash, timingSafeEqual } from "node:crypto";
import type { Config } from "#config.ts";
import { refuse } from "#core/errors.ts";

const digest = (text: string): Uint8Array => createHash("sha256").update(text).digest();

/**
 * Refuses the sign-up of the first user without the operator's setup code. Later sign-ups need no code. It compares
 * hashes, so that the duration reveals neither the code nor its length.
 */
export function requireSetupCode(config: Pick<Config, "asksSetupCode" | "setupCode">, code: string): void {
  if (!config.asksSetupCode) {
    return;
  }
  const isRight = timingSafeEqual(digest(code.trim()), digest(config.setupCode ?? ""));
  if (config.setupCode === null || !isRight) {
    refuse({
      code: "invalid_request",
      message: "the setup code is wrong: use the sign-up link that `npm run deploy` printed last",
      param: "setup_code",
    });
  }
}
