import { toSingleLine } from "#core/text.ts";

const MAX_MESSAGE_LENGTH = 500;

/** A message of a platform or an error, bounded and without characters that cannot be stored. */
export function sanitizeMessage(text: string): string {
  return toSingleLine(text.slice(0, MAX_MESSAGE_LENGTH));
}
