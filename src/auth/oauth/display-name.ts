import { replaceInvisible } from "#core/text.ts";

const NAME_MAX = 80;

/** Makes an untrusted name safe to display: short, without control characters, direction marks and repeated spaces. */
export function displayName(input: string): string {
  const text = replaceInvisible(input.toWellFormed().normalize("NFC"), "").replaceAll(/\s+/g, " ").trim();
  return [...text].slice(0, NAME_MAX).join("");
}

/** Returns an untrusted URL if it is an https URL of at most 500 characters; otherwise null. */
export function displayUri(input: unknown): string | null {
  return typeof input === "string" && input.startsWith("https://") && URL.canParse(input) && input.length <= 500
    ? new URL(input).href
    : null;
}
