import { replaceInvisible } from "#core/text.ts";

const SHORT = 140;

/** On one line, without what cannot be seen, at most `max` characters. */
export function oneLine(text: string, max: number): string {
  const words = replaceInvisible(text.toWellFormed(), " ").replaceAll(/\s+/g, " ").trim();
  const characters = [...words];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : words;
}

/**
 * The words of somebody else in a text that a model reads: usernames, captions, names of boards, notes. They are on one line
 * and between quotation marks that they cannot close, so that they are not taken for words of this service.
 */
export function quoted(text: string, max = SHORT): string {
  return JSON.stringify(oneLine(text, max));
}
