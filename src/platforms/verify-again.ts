import { SECOND } from "#core/clock.ts";
import type { VerifyOutcome } from "./contract.ts";

/** The outcome "not known yet": verify again after this time. It rounds up to seconds, in which the contract counts. */
export function verifyAgainIn(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), isProcessing: false };
}
