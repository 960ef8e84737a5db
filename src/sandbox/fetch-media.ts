import { inspectMedia, type MediaInfo } from "./inspect-media.ts";
import type { SimulatorContext } from "./contract.ts";

export interface FetchedMedia {
  readonly sha256: string;
  readonly size: number;
  readonly info: MediaInfo;
  readonly contentType: string;
  readonly redirected: boolean;
}

/** Downloads a media file completely. Null if the URL is invalid or the download fails. */
export async function fetchMedia(
  sim: SimulatorContext,
  url: string | null,
  userAgent: string,
): Promise<FetchedMedia | null> {
  if (url === null || !/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
    return null;
  }
  try {
    const response = await sim.fetchUrl(url, { "user-agent": userAgent });
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      return null;
    }
    const { sha256, size, head } = await sim.digest(response.body);
    const contentType = response.headers.get("content-type") ?? "";
    return { sha256, size, info: inspectMedia(head), contentType, redirected: response.redirected };
  } catch {
    return null;
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
