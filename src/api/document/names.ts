/** A word as it stands at the start of a schema's name or inside an operation id. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
