import type { Platform } from "#core/platform.ts";
import type { Adapter } from "./contract.ts";
import { bluesky } from "./bluesky/index.ts";
import { facebook } from "./facebook/index.ts";
import { instagram } from "./instagram/index.ts";
import { linkedin } from "./linkedin/index.ts";
import { mastodon } from "./mastodon/index.ts";
import { pinterest } from "./pinterest/index.ts";
import { threads } from "./threads/index.ts";
import { tiktok } from "./tiktok/index.ts";
import { x } from "./x/index.ts";
import { youtube } from "./youtube/index.ts";

/** Every adapter. A new platform also joins calls-registry.ts, operator-registry.ts and src/sandbox/registry.ts. */
const adapters: Readonly<Record<Platform, Adapter>> = {
  instagram,
  tiktok,
  youtube,
  linkedin,
  x,
  facebook,
  pinterest,
  threads,
  bluesky,
  mastodon,
};

export function adapterFor(platform: Platform): Adapter | undefined {
  return adapters[platform];
}
