import { hostMatches } from "#core/host-patterns.ts";
import type { SimulatorContext } from "#sandbox/contract.ts";
import type { MediaInfo } from "#sandbox/inspect-media.ts";
import { fetchMedia, type FetchedMedia, sleep } from "#sandbox/fetch-media.ts";
import { CREATORS } from "./creators.ts";
import { findPublish, startProcessing, type Publish } from "./publishes.ts";

/* Media checks, and the download of media that a caller gave by URL (`PULL_FROM_URL`). */

const USER_AGENT = "TikTokBot";
const MIB = 1024 * 1024;
const MAX_IMAGE_BYTES = 20 * MIB;
const MIN_VIDEO_SIDE = 360;
const MAX_VIDEO_SIDE = 4096;
/** 1080p, portrait or landscape. */
const MAX_PHOTO_LONG_SIDE = 1920;
const MAX_PHOTO_SHORT_SIDE = 1080;
const MAX_WAIT_MS = 2000;

export function videoFailReason(publish: Publish, { type, width, height, durationSeconds }: MediaInfo): string | null {
  if (type !== "video/mp4" && type !== "video/webm") {
    return "file_format_check_failed";
  }
  const maxSeconds = CREATORS[publish.login]?.maxSeconds ?? 0;
  if (!publish.isDraft && durationSeconds !== null && durationSeconds > maxSeconds) {
    return "duration_check_failed";
  }
  const sides = [width, height].filter((side) => side !== null);
  return sides.some((side) => side < MIN_VIDEO_SIDE || side > MAX_VIDEO_SIDE) ? "picture_size_check_failed" : null;
}

function photoFailReason({ info, size }: FetchedMedia): string | null {
  if (info.type !== "image/jpeg" && info.type !== "image/webp") {
    return "file_format_check_failed";
  }
  const { width, height } = info;
  const isLarge =
    width !== null &&
    height !== null &&
    (Math.max(width, height) > MAX_PHOTO_LONG_SIDE || Math.min(width, height) > MAX_PHOTO_SHORT_SIDE);
  return size > MAX_IMAGE_BYTES || isLarge ? "picture_size_check_failed" : null;
}

/** Downloads the media. The next status call restarts a download that ended with the process. */
function downloadMedia(sim: SimulatorContext, id: string): Promise<void> {
  return sim.runOnce(`pull:${id}`, async () => {
    const publish = findPublish(sim, id);
    if (!publish || publish.urls.length === 0 || publish.doneAt !== null) {
      return;
    }
    const media: { type: "image" | "video"; sha256: string }[] = [];
    let failReason: string | null = null;
    for (const url of publish.urls) {
      const fetched = await fetchMedia(sim, url, USER_AGENT);
      if (!fetched || fetched.redirected) {
        failReason = `${publish.kind}_pull_failed`;
        break;
      }
      failReason ??= publish.kind === "photo" ? photoFailReason(fetched) : videoFailReason(publish, fetched.info);
      media.push({ type: publish.kind === "photo" ? "image" : "video", sha256: fetched.sha256 });
    }
    const current = findPublish(sim, id);
    if (current && current.doneAt === null) {
      startProcessing(sim, current, { media, failReason });
    }
  });
}

/** Waits briefly for a running download, so that small files are complete at the first status call. */
export async function waitForPull(sim: SimulatorContext, publish: Publish): Promise<Publish> {
  if (publish.urls.length > 0 && publish.doneAt === null) {
    await Promise.race([downloadMedia(sim, publish.id), sleep(MAX_WAIT_MS)]);
  }
  return findPublish(sim, publish.id) ?? publish;
}

/** Whether the URL is on a verified domain; without the setting `verified_domains` every domain counts as verified. */
export function isFromVerifiedDomain(sim: SimulatorContext, url: string): boolean {
  const domains = sim.settings.extra["verified_domains"];
  const host = URL.parse(url)?.hostname;
  if (host === undefined) {
    return false;
  }
  return typeof domains !== "string" || domains.split(",").some((domain) => hostMatches([domain, `*.${domain}`], host));
}
