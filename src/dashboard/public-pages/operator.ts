import type { Config } from "#config.ts";

/** Who runs this installation, from the variables `OPERATOR_*`. Public pages name them. */
export interface Operator {
  readonly name: string;
  /** How to reach the operator: an e-mail address or a web address. */
  readonly contact: string;
  /** The country or state whose law applies; null if the operator has not set one. */
  readonly jurisdiction: string | null;
}

/** Reads who runs the installation. Null until name and contact are set; the privacy page and the terms need both. */
export function readOperator(config: Pick<Config, "setting">): Operator | null {
  const name = config.setting("OPERATOR_NAME");
  const contact = config.setting("OPERATOR_CONTACT");
  return name !== null && contact !== null
    ? { name, contact, jurisdiction: config.setting("OPERATOR_JURISDICTION") }
    : null;
}
