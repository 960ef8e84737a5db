import type { AccountAccess } from "./contract.ts";
import { sanitizeMessage } from "./fault.ts";
import { isOk, type PlatformResponse } from "./response.ts";

/**
 * One line of evidence: the call as documents write it, and its result. Only refusals are quoted, because other answers
 * contain names of people.
 */
export function evidenceOf(
  call: string,
  response: PlatformResponse,
  { platformAccountId, accessToken, loginToken }: AccountAccess,
): string {
  if (isOk(response)) {
    return `${call}: HTTP ${response.status}`;
  }
  const private_ = [platformAccountId, accessToken, loginToken].filter((text) => text !== "");
  const words = private_.reduce((text, hidden) => text.replaceAll(hidden, "…"), JSON.stringify(response.json) ?? "");
  return `${call}: HTTP ${response.status} ${sanitizeMessage(words)}`.trimEnd();
}
