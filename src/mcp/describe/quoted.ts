import { replaceInvisible } from "#core/text.ts";

const SHORT = 140;

/** The text on one line, without invisible characters, cut to `max` characters. */
export function oneLine(text: string, max: number): string {
  const words = replaceInvisible(text.toWellFormed(), " ").replaceAll(/\s+/g, " ").trim();
  const characters = [...words];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : words;
}

/**
 * Quotes somebody else's words in a text that a model reads: usernames, captions, names of boards, notes. They are on one line in quotation
 * marks that they cannot close, so the model does not take them for words of this service.
 */
export function quoted(text: string, max = SHORT): string {
  return JSON.stringify(oneLine(text, max));
}
