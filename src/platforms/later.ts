import { SECOND } from "#core/clock.ts";
import type { VerifyOutcome } from "./contract.ts";

/** Nothing is known yet: look again after so many milliseconds, which the contract wants in whole seconds. */
export function later(milliseconds: number): VerifyOutcome {
  return { state: "again", afterSeconds: Math.ceil(milliseconds / SECOND), known: false };
}
