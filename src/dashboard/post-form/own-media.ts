import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import { MediaItemInput } from "#wire/schemas/media.ts";

/* The own media of an account, in the JSON that the form sends. */

/** An item of own media. Its type is absent if only the address is known. */
const OwnMedia = z.array(MediaItemInput.partial({ type: true }));
export type OwnMedia = z.infer<typeof OwnMedia>;

export function readOwnMedia(json: string | undefined): OwnMedia | null {
  return OwnMedia.safeParse(parseJson(json)).data ?? null;
}

/** The media that a form adds to an account's own media. */
interface OwnMediaChoice {
  /** The files that were ticked in the library, each as type and URL: `image <url>`. */
  readonly ticked: readonly string[];
  /** The addresses of files on other servers. */
  readonly addresses: readonly string[];
  /** The descriptions of the files that the form showed, in the order of the files. */
  readonly altTexts: readonly string[];
}

/**
 * An account's own media with their new descriptions and the added files. Undefined if the account publishes the post's
 * media.
 */
export function withChosenMedia(
  json: string | undefined,
  { ticked, addresses, altTexts }: OwnMediaChoice,
): string | undefined {
  const before = readOwnMedia(json);
  const described = (before ?? []).map((item, index) => {
    const { alt_text: altText, ...rest } = item;
    const text = altTexts[index] ?? altText ?? "";
    return text === "" ? rest : { ...rest, alt_text: text };
  });
  const chosen = [
    ...ticked.map((text) => {
      const [, type, url = text] = /^(image|video) (.+)$/.exec(text) ?? [];
      return { url, ...(type && { type: type as MediaType }) };
    }),
    ...addresses.map((url) => ({ url })),
  ].filter(({ url }) => !described.some((item) => item.url === url));
  return before === null && chosen.length === 0 ? json : JSON.stringify([...described, ...chosen]);
}

export function parseJson(text = "null"): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
