import { createHash } from "node:crypto";
import type { PlatformRules } from "../platform-rules.ts";

export const MEDIA_KINDS = ["text", "image", "carousel", "video"] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

interface KindTraffic {
  /** The share of the posts. */
  readonly share: number;
  /** Sample files of the sandbox; a query makes the same file another medium. */
  readonly files: readonly string[];
  accepts(media: PlatformRules["media"]): boolean;
}

/** Posts with media cost several times as much as texts, and the rarest kind must still be seen in a short run. */
export const KIND_TRAFFIC: Readonly<Record<MediaKind, KindTraffic>> = {
  text: { share: 0.4, files: [], accepts: ({ text_only }) => text_only },
  image: { share: 0.25, files: ["portrait.jpg"], accepts: ({ images }) => images !== null },
  carousel: {
    share: 0.15,
    files: ["portrait.jpg", "portrait.jpg?second"],
    accepts: ({ images }) => images !== null && images.max > 1,
  },
  video: { share: 0.2, files: ["landscape.mp4"], accepts: ({ videos }) => videos !== null },
};

/** A media file of a post, and what a platform that published it must hold. */
export interface MediaFile {
  readonly url: string;
  readonly sha256: string;
}

/** Reads the sample files of all kinds once. */
export async function readMediaFiles(origin: string): Promise<ReadonlyMap<MediaKind, readonly MediaFile[]>> {
  const entries = MEDIA_KINDS.map(async (kind) => {
    const files = KIND_TRAFFIC[kind].files.map(async (name) => {
      const url = `${origin}/sandbox/media/${name}`;
      const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
      return { url, sha256: createHash("sha256").update(bytes).digest("hex") };
    });
    return [kind, await Promise.all(files)] as const;
  });
  return new Map(await Promise.all(entries));
}
