import { replaceInvisible } from "#core/text.ts";

const SHORT = 140;

/** Makes one line of a text, without invisible characters and with at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const words = replaceInvisible(text.toWellFormed(), " ").replaceAll(/\s+/g, " ").trim();
  const characters = [...words];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : words;
}

/**
 * Quotes other people's words (usernames, captions, board names, notes) in a text for a model. They stay on one line,
 * inside quotation marks that they cannot close, so that the model does not take them for this service's words.
 */
export function quoted(text: string, max = SHORT): string {
  return JSON.stringify(oneLine(text, max));
}
