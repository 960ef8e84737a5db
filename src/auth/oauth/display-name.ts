const NAME_MAX = 80;

/** A name that a stranger chose, made safe to show: no controls, no direction marks, no bursts of space, bounded. */
export function displayName(input: string): string {
  const text = input
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return [...text].slice(0, NAME_MAX).join("");
}

/** A web address that can be shown as a link, else null. */
export function displayUri(input: unknown): string | null {
  return typeof input === "string" && input.startsWith("https://") && URL.canParse(input) && input.length <= 500
    ? new URL(input).href
    : null;
}
