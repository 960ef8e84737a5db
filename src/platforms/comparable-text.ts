/**
 * Normalizes a text, so that the sent text equals the listed one: platforms change Unicode and white space. `verify`
 * recognizes posts by it.
 */
export function comparableText(text: string | null | undefined): string {
  return (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
}
