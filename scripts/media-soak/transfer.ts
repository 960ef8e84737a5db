import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { call } from "../service.ts";

const MIB = 1024 ** 2;
const PARALLEL = 6;

export interface MediaItem {
  readonly id: string;
  readonly url: string;
  readonly sha256: string;
  readonly size_bytes: number;
}

interface StartedUpload {
  readonly upload: {
    readonly parts: readonly { readonly part_number: number; readonly url: string; readonly size_bytes: number }[];
    readonly complete_url: string;
  };
}

export async function importFrom(origin: string, apiKey: string, url: string): Promise<MediaItem> {
  const { media_items } = await call<{ media_items: MediaItem[] }>(origin, "POST", "/v1/media", {
    key: apiKey,
    body: { urls: [url] },
  });
  return media_items[0] as MediaItem;
}

/** Uploads a file over 90 MiB with curl, its last part first, because parts may arrive in any order. */
export async function uploadInParts(
  origin: string,
  apiKey: string,
  path: string,
  sizeBytes: number,
): Promise<MediaItem> {
  const { upload } = await call<StartedUpload>(origin, "POST", "/v1/media/uploads", {
    key: apiKey,
    body: { filename: "video.mp4", content_type: "video/mp4", size_bytes: sizeBytes },
  });
  const partBytes = upload.parts[0]?.size_bytes ?? 0;
  for (const part of upload.parts.toReversed()) {
    const partPath = `${path}.part`;
    await promisify(execFile)("dd", [
      `if=${path}`,
      `of=${partPath}`,
      `bs=${MIB}`,
      `skip=${((part.part_number - 1) * partBytes) / MIB}`,
      `count=${Math.ceil(part.size_bytes / MIB)}`,
      "status=none",
    ]);
    const { stdout } = await promisify(execFile)("curl", ["-sS", "--fail-with-body", "-T", partPath, part.url]);
    JSON.parse(stdout);
  }
  const response = await fetch(upload.complete_url, { method: "POST" });
  const { media_item } = JSON.parse(await response.text()) as { media_item?: MediaItem };
  if (!media_item) {
    throw new Error(`the upload could not be completed: ${response.status}`);
  }
  return media_item;
}

/** Reads the whole file in `count` ranges, several at a time; returns its hash, and throws if a response is wrong. */
export async function readInRanges({ url, size_bytes: size }: MediaItem, count: number): Promise<string> {
  const step = Math.ceil(size / count);
  const ranges = new Map<number, Buffer>();
  const hash = createHash("sha256");
  let next = 0;
  let hashed = 0;
  const work = async () => {
    for (let index = next++; index * step < size; index = next++) {
      const last = Math.min(size, (index + 1) * step) - 1;
      const response = await fetch(url, { headers: { range: `bytes=${index * step}-${last}` } });
      if (
        response.status !== 206 ||
        response.headers.get("content-range") !== `bytes ${index * step}-${last}/${size}`
      ) {
        throw new Error(`range ${index} was answered with ${response.status}`);
      }
      ranges.set(index, Buffer.from(await response.arrayBuffer()));
      for (let range = ranges.get(hashed); range; range = ranges.get(hashed)) {
        hash.update(range);
        ranges.delete(hashed);
        hashed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return hash.digest("hex");
}

export async function readWhole({ url }: MediaItem): Promise<string> {
  const hash = createHash("sha256");
  const response = await fetch(url);
  for await (const chunk of response.body ?? []) {
    hash.update(chunk);
  }
  return hash.digest("hex");
}
