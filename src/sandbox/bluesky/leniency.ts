import type { SimulatorContext } from "#sandbox/contract.ts";

/**
 * In these points the sandbox is stricter than the reference servers. The setting `lenient` lists those to switch off, separated by commas.
 */
export type StrictReading =
  /** Requests with members or query fields that no document names. */
  | "unknown_parameters"
  /** Record members and embed types that the lexicon does not list: a real PDS stores them (rule 20). */
  | "unknown_fields"
  /** Facets that overlap or point outside the text: a real PDS stores them (rule 19). */
  | "facets"
  /** A reply to a post that does not exist, with another CID or another root: a real PDS stores it, and apps show no such reply. */
  | "reply_references"
  /** A post without text and embed. */
  | "empty_text"
  /** A blob whose bytes do not match its content type: a real PDS believes the header. */
  | "unknown_bytes"
  /** The authorization page without a pushed request (rule 3). */
  | "authorize_without_par"
  /** A pushed request without DPoP or `state` (rule 4). */
  | "par_without_dpop"
  | "par_without_state"
  /** `htu` with a query (rule 6). */
  | "htu_query"
  /** A client assertion without `exp` (rule 7). */
  | "assertion_without_exp";

export function isLenient(sim: SimulatorContext, reading: StrictReading): boolean {
  const list = sim.settings.extra["lenient"];
  return typeof list === "string" && list.split(",").includes(reading);
}
