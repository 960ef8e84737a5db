import type { Config } from "#config.ts";

/** Who runs this installation, from the variables `OPERATOR_*`. */
export interface Operator {
  readonly name: string;
  /** An e-mail address or a web address. */
  readonly contact: string;
  /** The country or state whose law applies; null when not set. */
  readonly jurisdiction: string | null;
}

/** Null until the operator sets a name and a contact: such pages must name somebody. */
export function readOperator(config: Pick<Config, "setting">): Operator | null {
  const name = config.setting("OPERATOR_NAME");
  const contact = config.setting("OPERATOR_CONTACT");
  return name !== null && contact !== null
    ? { name, contact, jurisdiction: config.setting("OPERATOR_JURISDICTION") }
    : null;
}
