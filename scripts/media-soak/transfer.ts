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

export async function importFrom(origin: string, key: string, address: string): Promise<MediaItem> {
  const { media_items } = await call<{ media_items: MediaItem[] }>(origin, "POST", "/v1/media", {
    key,
    body: { urls: [address] },
  });
  return media_items[0] as MediaItem;
}

/** Sends a file over 90 MiB with curl, its last part first: they may come in any order. */
export async function uploadInParts(origin: string, key: string, path: string, sizeBytes: number): Promise<MediaItem> {
  const { upload } = await call<StartedUpload>(origin, "POST", "/v1/media/uploads", {
    key,
    body: { filename: "film.mp4", content_type: "video/mp4", size_bytes: sizeBytes },
  });
  const partBytes = upload.parts[0]?.size_bytes ?? 0;
  for (const part of upload.parts.toReversed()) {
    const piece = `${path}.part`;
    await promisify(execFile)("dd", [
      `if=${path}`,
      `of=${piece}`,
      `bs=${MIB}`,
      `skip=${((part.part_number - 1) * partBytes) / MIB}`,
      `count=${Math.ceil(part.size_bytes / MIB)}`,
      "status=none",
    ]);
    const { stdout } = await promisify(execFile)("curl", ["-sS", "--fail-with-body", "-T", piece, part.url]);
    JSON.parse(stdout);
  }
  const done = await fetch(upload.complete_url, { method: "POST" });
  const { media_item } = JSON.parse(await done.text()) as { media_item?: MediaItem };
  if (!media_item) {
    throw new Error(`the upload could not be completed: ${done.status}`);
  }
  return media_item;
}

/** Reads the whole file in `count` ranges, some at a time; its hash when every one was answered right. */
export async function readInRanges({ url, size_bytes: size }: MediaItem, count: number): Promise<string> {
  const step = Math.ceil(size / count);
  const pieces = new Map<number, Buffer>();
  const hash = createHash("sha256");
  let next = 0;
  let hashed = 0;
  const work = async () => {
    for (let index = next++; index * step < size; index = next++) {
      const last = Math.min(size, (index + 1) * step) - 1;
      const answer = await fetch(url, { headers: { range: `bytes=${index * step}-${last}` } });
      if (answer.status !== 206 || answer.headers.get("content-range") !== `bytes ${index * step}-${last}/${size}`) {
        throw new Error(`range ${index} was answered with ${answer.status}`);
      }
      pieces.set(index, Buffer.from(await answer.arrayBuffer()));
      for (let piece = pieces.get(hashed); piece; piece = pieces.get(hashed)) {
        hash.update(piece);
        pieces.delete(hashed);
        hashed += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return hash.digest("hex");
}

export async function readWhole({ url }: MediaItem): Promise<string> {
  const hash = createHash("sha256");
  const answer = await fetch(url);
  for await (const piece of answer.body ?? []) {
    hash.update(piece);
  }
  return hash.digest("hex");
}
