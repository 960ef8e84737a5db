import { z } from "@hono/zod-openapi";
import { toIsoInstant } from "#core/clock.ts";
import { MEDIA_TYPES } from "#core/status.ts";
import type { StartedUpload } from "#media/index.ts";
import { Instant } from "./common.ts";

const SignedUrl = z.string().openapi({ format: "uri" });

export const UploadStarted = z
  .object({
    upload: z.object({
      method: z.literal("PUT"),
      url: SignedUrl.openapi({
        description:
          "The URL to send the bytes to, without a credential; for a file in parts, the URL of the first part.",
      }),
      headers: z.record(z.string(), z.string()).openapi({ description: "Headers to send with the bytes." }),
      expires_at: Instant,
      parts: z
        .array(z.object({ part_number: z.int(), url: SignedUrl, size_bytes: z.int() }))
        .nullable()
        .openapi({ description: "For a large file: the URL and size of each part, in order." }),
      complete_url: SignedUrl.nullable().openapi({
        description: "The URL to call with POST after all parts are sent.",
      }),
    }),
    media_item: z
      .object({ url: SignedUrl, type: z.enum(MEDIA_TYPES) })
      .nullable()
      .openapi({
        description: "The media item to use in a preview after the upload is complete; null for a document.",
      }),
    document: z
      .object({ url: SignedUrl })
      .optional()
      .openapi({ description: "Of a PDF file: what to use as the option `document`; absent for media." }),
  })
  .openapi("UploadStarted");

export function presentUpload({ upload, file: { url, type } }: StartedUpload): z.infer<typeof UploadStarted> {
  return {
    upload: {
      method: upload.method,
      url: upload.url,
      headers: { ...upload.headers },
      expires_at: toIsoInstant(upload.expiresAt),
      parts:
        upload.parts?.map(({ partNumber, url, sizeBytes }) => ({
          part_number: partNumber,
          url,
          size_bytes: sizeBytes,
        })) ?? null,
      complete_url: upload.completeUrl,
    },
    media_item: type === "document" ? null : { url, type },
    ...(type === "document" && { document: { url } }),
  };
}
