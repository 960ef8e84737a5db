import { replaceInvisible } from "#core/text.ts";

const NAME_MAX = 80;

/** An untrusted name, made safe to display: without control characters, direction marks and repeated spaces, limited in length. */
export function displayName(input: string): string {
  const text = replaceInvisible(input.toWellFormed().normalize("NFC"), "").replaceAll(/\s+/g, " ").trim();
  return [...text].slice(0, NAME_MAX).join("");
}

/** An https URL that can be displayed, else null. */
export function displayUri(input: unknown): string | null {
  return typeof input === "string" && input.startsWith("https://") && URL.canParse(input) && input.length <= 500
    ? new URL(input).href
    : null;
}
