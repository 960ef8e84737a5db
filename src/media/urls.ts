import type { Config } from "#config.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isMediaId(word: string): boolean {
  return UUID.test(word);
}

/** Where the bytes lie in R2: under their own hash, so that the same bytes are stored once. */
export function mediaKey(sha256: string): string {
  return `media/${sha256}`;
}

/** Where the world finds a media item. The id is the secret; the name is for platforms that look at the extension. */
export function mediaUrl(
  config: Pick<Config, "origin">,
  media: { readonly id: string; readonly filename: string },
): string {
  return `${config.origin}/media/${media.id}/${encodeURIComponent(media.filename)}`;
}

/** The id in an address of ours; null for any other address. */
export function mediaIdOf(config: Pick<Config, "origin">, url: string): string | null {
  if (!URL.canParse(url)) {
    return null;
  }
  const parsed = new URL(url);
  if (parsed.origin !== new URL(config.origin).origin) {
    return null;
  }
  const [, room, id = "", filename, ...rest] = parsed.pathname.split("/");
  const ours = room === "media" && filename && rest.length === 0 && UUID.test(id);
  return ours ? id : null;
}
