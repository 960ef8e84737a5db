import type { Config } from "#config.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isMediaId(text: string): boolean {
  return UUID.test(text);
}

/** The R2 key of a file. It is the hash of the bytes, so that equal files are stored once. */
export function mediaKey(sha256: string): string {
  return `media/${sha256}`;
}

/**
 * The public URL of a media item. The id is the secret. The URL ends with a file name, because platforms read the
 * extension.
 */
export function mediaUrl(
  config: Pick<Config, "origin">,
  media: { readonly id: string; readonly filename: string },
): string {
  return `${config.origin}/media/${media.id}/${encodeURIComponent(media.filename)}`;
}

/** The media id in a URL of this service; null for any other URL. */
export function mediaIdOf(config: Pick<Config, "origin">, url: string): string | null {
  if (!URL.canParse(url)) {
    return null;
  }
  const parsed = new URL(url);
  if (parsed.origin !== new URL(config.origin).origin) {
    return null;
  }
  const [, prefix, id = "", filename, ...rest] = parsed.pathname.split("/");
  const isMediaUrl = prefix === "media" && filename && rest.length === 0 && UUID.test(id);
  return isMediaUrl ? id : null;
}
