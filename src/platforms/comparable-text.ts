/**
 * Makes a text as we sent it equal to the text that a platform lists: platforms normalize Unicode and white space. `verify`
 * recognizes a post by it.
 */
export function comparableText(text: string | null | undefined): string {
  return (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
}
