import { hostMatches } from "#core/host-patterns.ts";
import { isPlatform, type Platform } from "#core/platform.ts";
import type { Simulator } from "./contract.ts";
import { simulator as bluesky } from "./bluesky.ts";
import { simulator as facebook } from "./facebook.ts";
import { simulator as instagram } from "./instagram.ts";
import { simulator as linkedin } from "./linkedin.ts";
import { simulator as mastodon } from "./mastodon.ts";
import { simulator as pinterest } from "./pinterest.ts";
import { simulator as threads } from "./threads.ts";
import { simulator as tiktok } from "./tiktok.ts";
import { simulator as x } from "./x.ts";
import { simulator as youtube } from "./youtube.ts";

/** The simulators by platform. This is one of four registries; the other three are in src/platforms. */
export const simulators: Readonly<Record<Platform, Simulator>> = {
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

export function findSimulator(name: string): Simulator | undefined {
  return isPlatform(name) ? simulators[name] : undefined;
}

export function findSimulatorByHost(host: string): Simulator | undefined {
  return Object.values(simulators).find((simulator) => hostMatches(simulator.hosts, host));
}

/** The fields that a test user enters on the connect page. */
export function connectInputOf(platform: Platform, login: string): Readonly<Record<string, string>> {
  return simulators[platform].logins.find(({ name }) => name === login)?.connectInput ?? {};
}
