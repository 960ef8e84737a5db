import type { Patch } from "../source-copy.ts";

export const SCRYPT_LOG_LINE = "attack: scrypt runs";

/** Logs every password hash, so that an attack counts work instead of measuring time. */
export const SCRYPT_COUNTER: Patch = {
  name: "count-scrypt",
  changes: [{ before: `console.log("${SCRYPT_LOG_LINE}");` }],
};
