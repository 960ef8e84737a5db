import { z } from "@hono/zod-openapi";
import type { JsonValue } from "#core/json.ts";
import type { MediaType } from "#core/status.ts";
import { MediaItemInput } from "#wire/schemas/media.ts";

/* Own media of one account, as the form sends them. */

/** The type is absent if only the address of the media is known. */
const OwnMedia = z.array(MediaItemInput.partial({ type: true }));
export type OwnMedia = z.infer<typeof OwnMedia>;

export function readOwnMedia(json: string | undefined): OwnMedia | null {
  return OwnMedia.safeParse(parseJson(json)).data ?? null;
}

/** What a form adds to an account's own media. */
interface OwnMediaChoice {
  /** `image <url>`: ticked in the library, with its type. */
  readonly ticked: readonly string[];
  /** Addresses of files elsewhere. */
  readonly addresses: readonly string[];
  /** The descriptions of the files that the form showed, for people who cannot see them. */
  readonly altTexts: readonly string[];
}

/** The account's own media with their new descriptions and the added files; undefined if the account takes those of the post. */
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
