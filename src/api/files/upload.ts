import type { MiddlewareHandler } from "hono";
import { Hono } from "hono";
import type { ApiEnv } from "#api/env.ts";
import { presentFile } from "#wire/schemas/media.ts";
import { toIsoInstant } from "#core/clock.ts";
import { refuse } from "#core/errors.ts";
import {
  completeMultipartUpload,
  getUploadProgress,
  isMediaId,
  verifyUploadUrl,
  receiveFile,
  receivePart,
  type UploadBody,
  type UploadGrant,
  type UploadSlot,
} from "#media/index.ts";
import { allowMethods } from "./allow-methods.ts";

const PREFLIGHT_SECONDS = "3600";

interface UploadEnv extends ApiEnv {
  Variables: ApiEnv["Variables"] & { grant: UploadGrant };
}

function parseSlot(lastSegment: string, partNumber: string | undefined): UploadSlot | null {
  if (partNumber !== undefined) {
    return /^[1-9]\d{0,3}$/.test(partNumber) ? { kind: "part", partNumber: Number(partNumber) } : null;
  }
  return lastSegment === "file" || lastSegment === "complete" ? { kind: lastSegment } : null;
}

function notFound(): never {
  refuse({ code: "not_found", message: "there is nothing at this URL" });
}

/**
 * Requires a valid signature, which is the only credential of an upload. Otherwise the answer is 404, as for an unknown
 * URL.
 */
const requireSignature: MiddlewareHandler<UploadEnv> = async (c, next) => {
  const { pathname, searchParams } = new URL(c.req.url);
  const [, , , uploadId = "", lastSegment = "", partNumber] = pathname.split("/");
  const slot = isMediaId(uploadId) ? parseSlot(lastSegment, partNumber) : null;
  const grant = slot && (await verifyUploadUrl(c.var.services.config, { uploadId, slot, query: searchParams }));
  if (!grant) {
    return notFound();
  }
  c.set("grant", grant);
  c.header("Access-Control-Allow-Origin", "*");
  c.header("Access-Control-Expose-Headers", "X-Request-Id");
  c.header("Cache-Control", "no-store");
  if (c.req.method === "OPTIONS") {
    c.header("Access-Control-Allow-Methods", grant.slot.kind === "complete" ? "GET, POST" : "PUT");
    c.header("Access-Control-Allow-Headers", "Content-Type");
    c.header("Access-Control-Max-Age", PREFLIGHT_SECONDS);
    return c.body(null, 204);
  }
  return next();
};

function toUploadBody({ body, headers }: Request): UploadBody {
  const contentLength = headers.get("content-length");
  return {
    stream: body,
    contentLength: contentLength !== null && /^\d{1,15}$/.test(contentLength) ? Number(contentLength) : null,
    contentType: headers.get("content-type"),
  };
}

/** The signed URLs of an upload: one for the whole file, one for a part, and one that completes a multipart upload. */
export const uploadRoutes = new Hono<UploadEnv>()
  .use("/media/uploads/:id/*", requireSignature)
  .all("/media/uploads/:id/file", allowMethods("PUT"), async (c) => {
    return c.json(presentFile(await receiveFile(c.var.services, c.var.grant, toUploadBody(c.req.raw))));
  })
  .all("/media/uploads/:id/parts/:number", allowMethods("PUT"), async (c) => {
    const { partNumber, received, missing } = await receivePart(
      c.var.services,
      c.var.grant,
      Number(c.req.param("number")),
      toUploadBody(c.req.raw),
    );
    return c.json({ part_number: partNumber, received_parts: received, missing_parts: missing });
  })
  .all("/media/uploads/:id/complete", allowMethods("GET", "POST"), async (c) => {
    if (c.req.method === "POST") {
      return c.json(presentFile(await completeMultipartUpload(c.var.services, c.var.grant)));
    }
    const { state, expiresAt, received, missing } = await getUploadProgress(c.var.services, c.var.grant);
    return c.json({
      upload: { state, expires_at: toIsoInstant(expiresAt), received_parts: received, missing_parts: missing },
    });
  });
