import type { SimulatorContext } from "#sandbox/contract.ts";

/**
 * The points in which the sandbox is stricter than the reference servers. The setting `lenient` switches off those that
 * it lists, separated by commas.
 */
export type StrictReading =
  /** Refuses requests with members or query fields that no document names. */
  | "unknown_parameters"
  /** Refuses record members and embed types that the lexicon does not list. A real PDS stores them (rule 20). */
  | "unknown_fields"
  /** Refuses facets that overlap or point outside the text. A real PDS stores them (rule 19). */
  | "facets"
  /**
   * Refuses a reply to a missing post, with another CID or another root. A real PDS stores it, but apps do not show it.
   */
  | "reply_references"
  /** Refuses a post without text and embed. */
  | "empty_text"
  /** Refuses a blob whose bytes do not match its content type. A real PDS believes the header. */
  | "unknown_bytes"
  /** Refuses the authorization page without a pushed request (rule 3). */
  | "authorize_without_par"
  /** Refuses a pushed request without DPoP or `state` (rule 4). */
  | "par_without_dpop"
  | "par_without_state"
  /** Refuses an `htu` with a query (rule 6). */
  | "htu_query"
  /** Refuses a client assertion without `exp` (rule 7). */
  | "assertion_without_exp";

export function isLenient(sim: SimulatorContext, reading: StrictReading): boolean {
  const list = sim.settings.extra["lenient"];
  return typeof list === "string" && list.split(",").includes(reading);
}
