import { z } from "@hono/zod-openapi";
import { ALT_TEXT_MAX } from "#core/media-limits.ts";
import { MEDIA_TYPES } from "#core/status.ts";
import {
  isDocument,
  isMedia,
  type MediaItemInput as DomainMediaItemInput,
  type ResolvedDocument,
  type ResolvedFile,
} from "#media/index.ts";
import type { MediaItem as DomainMediaItem } from "#posts/index.ts";

const MAX_URL_LENGTH = 2048;

export const MediaUrl = z
  .string()
  .min(1)
  .max(MAX_URL_LENGTH)
  .openapi({ format: "uri", example: "https://images.example.net/launch.jpg" });

export const AltText = z.string().max(ALT_TEXT_MAX);

const COVER_AT_MAX_MS = 86_400_000;

export const CoverInput = z
  .object({
    at_ms: z
      .int()
      .min(0)
      .max(COVER_AT_MAX_MS)
      .nullish()
      .openapi({ description: "The moment of the video that is shown, in milliseconds from its beginning." }),
    url: MediaUrl.nullish().openapi({ description: "An image: a public HTTPS URL, or a media URL of this service." }),
  })
  .openapi("CoverInput", { description: "The cover of a video: a moment of it or a picture, not both." });

export const MediaItemInput = z
  .object({
    url: MediaUrl.openapi({ description: "A public HTTPS URL, or a media URL of this service." }),
    type: z.enum(MEDIA_TYPES),
    cover: CoverInput.nullish().openapi({ description: "The cover of a video; null: the platform chooses one." }),
    alt_text: AltText.nullish().openapi({
      description: "What it shows, for people who cannot see it. Null or empty for nothing.",
    }),
  })
  .openapi("MediaItemInput", { description: "An image or a video to post." });

export const MediaItem = z
  .object({
    url: z.string().openapi({ format: "uri", description: "The URL of the stored file." }),
    type: z.enum(MEDIA_TYPES),
    id: z.string().openapi({ format: "uuid" }),
    content_type: z.string().openapi({
      description: "Detected from the bytes; `image/jpeg` for a HEIC or AVIF image, which is stored as a JPEG.",
    }),
    size_bytes: z.int(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    duration_seconds: z.number().nullable(),
    sha256: z.string().openapi({
      description: "SHA-256 of the stored bytes, in lower-case hex: those of the JPEG for a HEIC or AVIF image.",
    }),
    alt_text: z
      .string()
      .nullable()
      .openapi({ description: "What the post says of it to people who cannot see it; null for nothing." }),
    cover: z
      .object({
        at_ms: z
          .int()
          .nullable()
          .openapi({ description: "The moment of the video, in milliseconds; null for a picture." }),
        url: z
          .string()
          .nullable()
          .openapi({ format: "uri", description: "The URL of the stored picture; null for a moment of the video." }),
      })
      .nullable()
      .openapi({ description: "The cover of a video; null: the platform chooses one." }),
  })
  .openapi("MediaItem", { description: "A stored image or video." });
export type MediaItem = z.infer<typeof MediaItem>;

export const EXAMPLE_MEDIA_ITEM: MediaItem = {
  url: "https://almanac.example.org/media/8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31/launch.jpg",
  type: "image",
  id: "8b0f0f7e-5c1d-4f4e-9a3e-2d7c6b5a4f31",
  content_type: "image/jpeg",
  size_bytes: 284_113,
  width: 1080,
  height: 1350,
  duration_seconds: null,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  alt_text: "A blue bowl on a wooden table",
  cover: null,
};

/** A PDF file. It is stored like media, but it is no media item. */
const Document = z
  .object({
    url: z.string().openapi({ format: "uri", description: "The URL of the stored file, for the option `document`." }),
    id: z.string().openapi({ format: "uuid" }),
    content_type: z.string().openapi({ description: "Detected from the bytes." }),
    size_bytes: z.int(),
    pages: z.int().nullable().openapi({ description: "Null where they could not be counted." }),
    sha256: z.string().openapi({ description: "SHA-256 of the bytes, in lower-case hex." }),
  })
  .openapi("Document", { description: "A stored PDF file, which is no media item." });
type Document = z.infer<typeof Document>;

function presentDocument({ url, id, contentType, sizeBytes, facts, sha256 }: ResolvedDocument): Document {
  const { pages } = facts;
  return {
    url,
    id,
    content_type: contentType,
    size_bytes: sizeBytes,
    pages: typeof pages === "number" ? pages : null,
    sha256,
  };
}

/** Lists stored files: media items in their order, then documents. */
export function presentFiles(files: readonly ResolvedFile[]): z.infer<typeof MediaItemList> {
  const documents = files.filter(isDocument).map(presentDocument);
  return {
    media_items: files.filter(isMedia).map(presentMediaItem),
    ...(documents.length > 0 && { documents }),
  };
}

export function presentFile(file: ResolvedFile): { readonly media_item: MediaItem } | { readonly document: Document } {
  if (isDocument(file)) {
    return { document: presentDocument(file) };
  }
  if (isMedia(file)) {
    return { media_item: presentMediaItem(file) };
  }
  throw new Error("a stored file is neither media nor a document");
}

export function presentMediaItem(item: DomainMediaItem): MediaItem {
  return {
    url: item.url,
    type: item.type,
    id: item.id,
    content_type: item.contentType,
    size_bytes: item.sizeBytes,
    width: item.width,
    height: item.height,
    duration_seconds: item.durationSeconds,
    sha256: item.sha256,
    alt_text: item.altText ?? null,
    cover: item.cover ? { at_ms: item.cover.atMs ?? null, url: item.cover.image?.url ?? null } : null,
  };
}

/** The members of `MediaItemInput`. Without a type, the file's bytes decide. */
export interface MediaItemMembers {
  readonly url: string;
  readonly type?: DomainMediaItem["type"] | undefined;
  readonly alt_text?: string | null | undefined;
  readonly cover?: z.output<typeof CoverInput> | null | undefined;
}

/** Converts a media item of a request to the names that the code uses. */
export function toMediaInput({ url, type, alt_text: altText, cover }: MediaItemMembers): DomainMediaItemInput {
  const atMs = cover?.at_ms ?? undefined;
  const coverUrl = cover?.url ?? undefined;
  return {
    url,
    type: type ?? null,
    altText: altText || undefined,
    ...((atMs !== undefined || coverUrl !== undefined) && { cover: { atMs, url: coverUrl } }),
  };
}

export const MediaItemList = z
  .object({
    media_items: z.array(MediaItem),
    documents: z
      .array(Document)
      .optional()
      .openapi({ description: "The PDF files among them, in their order; absent without any." }),
  })
  .openapi("MediaItemList");
