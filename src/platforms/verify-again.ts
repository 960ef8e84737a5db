import { SECOND } from "#core/clock.ts";
import type { VerifyOutcome } from "./contract.ts";

/** The outcome "not known yet": verify again after this time. Rounds up, because the contract counts in seconds. */
export function verifyAgainIn(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), isProcessing: false };
}
