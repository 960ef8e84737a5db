import { open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { S3Credentials } from "../deploy/cloudflare.ts";
import { FileFailure } from "./installation.ts";
import { signedHeaders } from "./s3-signature.ts";

/**
 * The largest object (bytes) that Cloudflare's own API accepts: https://developers.cloudflare.com/r2/platform/limits/
 */
export const MAX_WHOLE_BYTES = 300_000_000;

/**
 * The size (bytes) of each part but the last; all must be equal:
 * https://developers.cloudflare.com/r2/objects/multipart-objects/
 */
const PART_BYTES = 64 * 1024 * 1024;
const TRIES = 4;
const TIMEOUT_MS = 600_000;

interface Upload {
  readonly credentials: S3Credentials;
  /** The object's address: `https://{account}.r2.cloudflarestorage.com/{bucket}/{key}`. */
  readonly address: string;
  readonly contentType: string;
}

async function call(
  { credentials, address }: Upload,
  method: "POST" | "PUT",
  query: Readonly<Record<string, string>>,
  { body, contentType }: { readonly body?: string | Uint8Array; readonly contentType?: string } = {},
): Promise<{ readonly text: string; readonly etag: string }> {
  const url = new URL(`${address}?${new URLSearchParams(query).toString()}`);
  for (let attempt = 1; ; attempt += 1) {
    const headers = signedHeaders(credentials, {
      method,
      url,
      headers: { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
      region: "auto",
      at: new Date(),
    });
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(contentType !== undefined && { "content-type": contentType }) },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => null);
    const text = (await response?.text().catch(() => "")) ?? "";
    // Completing an upload can fail although the status is 200.
    if (response?.ok === true && !text.includes("<Error>")) {
      return { text, etag: response.headers.get("etag") ?? "" };
    }
    const mayRepeat = response === null || response.status === 429 || response.status >= 500;
    if (!mayRepeat || attempt === TRIES) {
      const said = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? "no reason given";
      throw new FileFailure(response === null ? "R2 did not answer" : `R2 refused: ${said} (HTTP ${response.status})`);
    }
    await sleep(attempt * 1000);
  }
}

/** Stores a file of any size in parts. Nothing is stored until all parts are there. */
export async function uploadInParts(upload: Upload, file: string): Promise<void> {
  const started = await call(upload, "POST", { uploads: "" }, { contentType: upload.contentType });
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(started.text)?.[1];
  if (uploadId === undefined) {
    throw new FileFailure("R2 named no upload");
  }
  const etags: string[] = [];
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    for (let at = 0; at < size; at += PART_BYTES) {
      const body = new Uint8Array(Math.min(PART_BYTES, size - at));
      await handle.read(body, 0, body.length, at);
      const { etag } = await call(upload, "PUT", { partNumber: String(etags.length + 1), uploadId }, { body });
      etags.push(etag);
    }
  } finally {
    await handle.close();
  }
  const parts = etags.map((etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  await call(
    upload,
    "POST",
    { uploadId },
    { body: `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>` },
  );
}
