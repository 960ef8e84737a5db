import { requireSubscription } from "#core/actor.ts";
import { toIsoInstant } from "#core/clock.ts";
import { refuse, RefusalError } from "#core/errors.ts";
import { isJsonObject } from "#core/json.ts";
import { isOverloaded } from "#db/errors.ts";
import {
  cancelUpload,
  CONTENT_TYPES,
  CONTENT_TYPES_TEXT,
  CONVERTED_TYPES,
  RECEIVED_TYPES_TEXT,
  startUpload,
} from "#media/index.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { OVERLOADED_MESSAGE, setOverloadedHeaders } from "#dashboard/layout/error-pages.tsx";
import { contextOf } from "#dashboard/request/context-of.ts";

/* JSON endpoints for the script `upload.js`. The files' bytes go to the same signed URLs as in the API. */

/** A sentence for people. The refusal's own message names a request member that the page does not show. */
function sentenceOf({ refusal }: RefusalError, canConvert: boolean): string {
  return refusal.details?.[0]?.code === "media_type_unsupported"
    ? `This kind of file cannot be used: send ${canConvert ? RECEIVED_TYPES_TEXT : CONTENT_TYPES_TEXT}.`
    : toSentence(refusal.message);
}

/** The type of a file by its name, because some systems do not tell browsers the type. */
function typeByName(filename: string): string {
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase();
  const types = Object.entries({ ...CONTENT_TYPES, ...CONVERTED_TYPES });
  const found = types.find(([, { extensions }]) => extensions.some((one) => one === extension));
  return found?.[0] ?? "";
}

async function respond(c: PageContext, run: () => Promise<object>): Promise<Response> {
  try {
    return c.json(await run());
  } catch (error) {
    if (error instanceof RefusalError) {
      return c.json({ error: sentenceOf(error, c.var.services.images !== null) }, 400);
    }
    if (isOverloaded(error)) {
      setOverloadedHeaders(c);
      return c.json({ error: OVERLOADED_MESSAGE }, 503);
    }
    throw error;
  }
}

/**
 * Handles `POST /dashboard/media/uploads`: responds like `POST /v1/media/uploads`, and adds where to cancel the upload.
 */
export function doStartUpload(c: PageContext): Promise<Response> {
  const { signedIn } = c.var;
  return respond(c, async () => {
    requireSubscription(signedIn.actor);
    const body: unknown = await c.req.json().catch(() => null);
    const { filename, content_type: contentType, size_bytes: sizeBytes } = isJsonObject(body) ? body : {};
    if (typeof filename !== "string" || typeof contentType !== "string" || typeof sizeBytes !== "number") {
      refuse({ code: "invalid_request", message: "the request names no file" });
    }
    const ctx = contextOf(c);
    const { upload, file } = await startUpload(ctx, {
      filename,
      contentType: contentType === "" ? typeByName(filename) : contentType,
      sizeBytes,
    });
    return {
      upload: {
        method: upload.method,
        url: upload.url,
        headers: upload.headers,
        expires_at: toIsoInstant(upload.expiresAt),
        parts:
          upload.parts?.map((part) => ({
            part_number: part.partNumber,
            url: part.url,
            size_bytes: part.sizeBytes,
          })) ?? null,
        complete_url: upload.completeUrl,
        cancel_url: `/dashboard/media/uploads/${file.id}/cancel`,
      },
      media_item: { url: file.url, type: file.type },
    };
  });
}

/** Handles `POST /dashboard/media/uploads/:id/cancel`: releases the storage that the upload had reserved. */
export function doCancelUpload(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  return respond(c, async () => {
    await cancelUpload(ctx, { id: c.req.param("id") ?? "" });
    return { cancelled: true };
  });
}
