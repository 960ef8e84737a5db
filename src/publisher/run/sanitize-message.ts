import { toSingleLine } from "#core/text.ts";

const MAX_MESSAGE_LENGTH = 500;

/** Makes the message of a platform or an error safe to store: limited in length, without forbidden characters. */
export function sanitizeMessage(text: string): string {
  return toSingleLine(text.slice(0, MAX_MESSAGE_LENGTH));
}
