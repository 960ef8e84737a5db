/** Shorter texts are in every sentence. */
const MIN_LENGTH = 6;

function partsOf(secret: string): string[] {
  try {
    const parsed: unknown = JSON.parse(secret);
    return typeof parsed === "object" && parsed !== null
      ? Object.values(parsed).filter((part) => typeof part === "string")
      : [];
  } catch {
    return [];
  }
}

/** The text without these texts and, where one is JSON, without those in it; also as they stand within JSON. */
export function withoutTexts(text: string, secrets: readonly string[]): string {
  const hidden = secrets
    .flatMap((secret) => [secret, ...partsOf(secret)])
    .filter(({ length }) => length >= MIN_LENGTH)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return hidden.reduce((shown, secret) => shown.replaceAll(secret, "…"), text);
}
