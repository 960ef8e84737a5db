import { refuse } from "#core/errors.ts";

/** Foreign and unknown answer word for word alike. */
export function refuseUnknown(): never {
  refuse({ code: "not_found", message: "workspace not found" });
}
