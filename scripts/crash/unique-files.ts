import { createHash } from "node:crypto";
import { FREE_BOX_HEADER_BYTES, freeBox } from "../free-box.ts";
import type { ApiClient } from "./api-client.ts";
import type { MediaFile } from "./media-kinds.ts";

/** Sample files. Each post gets a copy with different bytes. */
const SAMPLES = {
  "portrait.jpg": "image/jpeg",
  "landscape.mp4": "video/mp4",
  "handbook.pdf": "application/pdf",
} as const;
export type SampleName = keyof typeof SAMPLES;

/** As often as an upload is repeated while the service restarts. */
const MAX_TRIES = 10;

/** A sample that is followed by bytes which players and readers ignore; in an MP4 they are a `free` box. */
function withUniqueEnd(name: SampleName, bytes: Uint8Array, mark: string): Uint8Array<ArrayBuffer> {
  const end = new TextEncoder().encode(mark);
  if (!name.endsWith(".mp4")) {
    return Uint8Array.from([...bytes, ...end]);
  }
  const box = freeBox(FREE_BOX_HEADER_BYTES + end.length);
  box.set(end, FREE_BOX_HEADER_BYTES);
  return Uint8Array.from([...bytes, ...box]);
}

/** Files by which a published post without a text of its own is recognized: no other post has them. */
export class UniqueFiles {
  readonly #client: ApiClient;
  readonly #samples: ReadonlyMap<SampleName, Uint8Array>;

  constructor(client: ApiClient, samples: ReadonlyMap<SampleName, Uint8Array>) {
    this.#client = client;
    this.#samples = samples;
  }

  /** Reads the samples once. */
  static async read(client: ApiClient, origin: string): Promise<UniqueFiles> {
    const names = Object.keys(SAMPLES) as SampleName[];
    const entries = names.map(async (name) => {
      const response = await fetch(`${origin}/sandbox/media/${name}`);
      return [name, new Uint8Array(await response.arrayBuffer())] as const;
    });
    return new UniqueFiles(client, new Map(await Promise.all(entries)));
  }

  /** Uploads a file that only posts with this mark have; null when the service took none of the tries. */
  async upload(apiKey: string, name: SampleName, mark: string): Promise<MediaFile | null> {
    const bytes = withUniqueEnd(name, this.#samples.get(name) ?? new Uint8Array(), mark);
    const file = { filename: name, content_type: SAMPLES[name], size_bytes: bytes.length };
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const body = await this.#client.callUntilOk("POST", "/v1/media/uploads", file, apiKey);
      const { upload, media_item, document } = body as {
        upload: { url: string; headers: Readonly<Record<string, string>> };
        media_item?: { url: string };
        document?: { url: string };
      };
      const url = (media_item ?? document)?.url;
      if (url !== undefined && (await this.#client.upload(upload.url, upload.headers, bytes))) {
        return { url, sha256: createHash("sha256").update(bytes).digest("hex") };
      }
    }
    return null;
  }
}
