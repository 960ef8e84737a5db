import type { Fault, FaultCode } from "#platforms/contract.ts";

/** The value of a successful result; a fault fails the test with its message. */
export function unwrap<T>(result: { ok: true; value: T } | { ok: false; fault: Fault<FaultCode> }): T {
  if (!result.ok) {
    throw new Error(`${result.fault.kind} ${result.fault.code}: ${result.fault.message}`);
  }
  return result.value;
}
