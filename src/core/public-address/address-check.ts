import type { DetailCode } from "#core/codes.ts";

/** Why the service refuses to call an address. The sentence is for the user who entered it. */
export interface AddressProblem {
  readonly code: DetailCode;
  readonly message: string;
  readonly limit?: number | string;
  readonly actual?: number | string;
}

export type AddressCheck =
  | { readonly ok: true; readonly value: URL }
  | { readonly ok: false; readonly problem: AddressProblem };

export function addressRefused(
  code: DetailCode,
  message: string,
  numbers: Pick<AddressProblem, "limit" | "actual"> = {},
): AddressCheck {
  return { ok: false, problem: { code, message, ...numbers } };
}
