import type { Sim } from "#sandbox/contract.ts";
import { fetchMedia, type Found, pause } from "#sandbox/fetching.ts";
import { CREATORS } from "./creators.ts";
import { find, process, type Publish } from "./publishes.ts";

/* What the platform makes of bytes, and how it gets them where an address was given. */

const AGENT = "TikTokBot";
const MIB = 1024 * 1024;
const IMAGE_MAX_BYTES = 20 * MIB;
const SIDE_MIN = 360;
const SIDE_MAX = 4096;
/** 1080p, either way up. */
const PHOTO_LONG_SIDE_MAX = 1920;
const PHOTO_SHORT_SIDE_MAX = 1080;
const MOST_WAIT_MS = 2000;

type Looks = Found["looks"];

export function faultInVideo(publish: Publish, { type, width, height, durationSeconds }: Looks): string | null {
  if (type !== "video/mp4" && type !== "video/webm") {
    return "file_format_check_failed";
  }
  const longest = CREATORS[publish.login]?.maxSeconds ?? 0;
  if (!publish.draft && durationSeconds !== null && durationSeconds > longest) {
    return "duration_check_failed";
  }
  const sides = [width, height].filter((side) => side !== null);
  return sides.some((side) => side < SIDE_MIN || side > SIDE_MAX) ? "picture_size_check_failed" : null;
}

function faultInPhoto({ looks, size }: Found): string | null {
  if (looks.type !== "image/jpeg" && looks.type !== "image/webp") {
    return "file_format_check_failed";
  }
  const { width, height } = looks;
  const isLarge =
    width !== null &&
    height !== null &&
    (Math.max(width, height) > PHOTO_LONG_SIDE_MAX || Math.min(width, height) > PHOTO_SHORT_SIDE_MAX);
  return size > IMAGE_MAX_BYTES || isLarge ? "picture_size_check_failed" : null;
}

/** Really gets the bytes; after a kill of the process a poll starts it again. */
function download(sim: Sim, id: string): Promise<void> {
  return sim.run(`pull:${id}`, async () => {
    const publish = find(sim, id);
    if (!publish || publish.urls.length === 0 || publish.doneAt !== null) {
      return;
    }
    const media: { type: "image" | "video"; sha256: string }[] = [];
    let failReason: string | null = null;
    for (const url of publish.urls) {
      const found = await fetchMedia(sim, url, AGENT);
      if (!found || found.redirected) {
        failReason = `${publish.kind}_pull_failed`;
        break;
      }
      failReason ??= publish.kind === "photo" ? faultInPhoto(found) : faultInVideo(publish, found.looks);
      media.push({ type: publish.kind === "photo" ? "image" : "video", sha256: found.sha256 });
    }
    const now = find(sim, id);
    if (now && now.doneAt === null) {
      process(sim, now, { media, failReason });
    }
  });
}

/** Gives a download that is under way a moment, so that small files are there at the first look. */
export async function waitForPull(sim: Sim, publish: Publish): Promise<Publish> {
  if (publish.urls.length > 0 && publish.doneAt === null) {
    await Promise.race([download(sim, publish.id), pause(MOST_WAIT_MS)]);
  }
  return find(sim, publish.id) ?? publish;
}

/** Whether the operator proved that the address is his; every one counts until `verified_domains` names some. */
export function isOwned(sim: Sim, url: string): boolean {
  const domains = sim.settings.extra["verified_domains"];
  const host = URL.parse(url)?.hostname;
  if (host === undefined) {
    return false;
  }
  return typeof domains !== "string" || domains.split(",").some((one) => host === one || host.endsWith(`.${one}`));
}
