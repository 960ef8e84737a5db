import { z } from "@hono/zod-openapi";
import { MEDIA_TYPES } from "#core/status.ts";
import type { MediaItem as DomainMediaItem } from "#posting/types.ts";

const MAX_URL_LENGTH = 2048;

export const MediaUrl = z
  .string()
  .min(1)
  .max(MAX_URL_LENGTH)
  .openapi({ format: "uri", example: "https://images.example.net/launch.jpg" });

export const MediaItemInput = z
  .object({
    url: MediaUrl.openapi({ description: "A public HTTPS URL, or a media URL of this service." }),
    type: z.enum(MEDIA_TYPES),
  })
  .openapi("MediaItemInput", { description: "An image or a video to post." });

export const MediaItem = z
  .object({
    url: z.string().openapi({ format: "uri", description: "The URL of the stored file." }),
    type: z.enum(MEDIA_TYPES),
    id: z.string().openapi({ format: "uuid" }),
    content_type: z.string().openapi({ description: "Detected from the bytes." }),
    size_bytes: z.int(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    duration_seconds: z.number().nullable(),
    sha256: z.string().openapi({ description: "SHA-256 of the bytes, in lower-case hex." }),
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
};

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
  };
}

export const MediaItemList = z.object({ media_items: z.array(MediaItem) }).openapi("MediaItemList");
