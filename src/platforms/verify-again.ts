import { SECOND } from "#core/clock.ts";
import type { VerifyOutcome } from "./contract.ts";

/** The outcome "not known yet": verify again after this time. The contract counts in seconds, so it is rounded up. */
export function verifyAgainIn(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), isProcessing: false };
}
