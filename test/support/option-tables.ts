import { PLATFORMS, type Platform } from "#core/platform.ts";
import type { OptionTable } from "./option-table.ts";

const modules = import.meta.glob<{ readonly table: OptionTable }>("../platforms/*/option-table.ts", { eager: true });

export function optionTableOf(platform: Platform): OptionTable {
  const module = modules[`../platforms/${platform}/option-table.ts`];
  if (!module) {
    const all = PLATFORMS.join(", ");
    throw new Error(`test/platforms/${platform}/option-table.ts is missing: every one of ${all} needs one`);
  }
  return module.table;
}
