export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Makes a sentence for people from a use case's message, which is in lower case for programs. */
export function toSentence(message: string): string {
  const text = capitalize(message);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
