import { capitalize } from "./sentence.ts";
import { ACCOUNT_POSTS_MAX } from "#posts/index.ts";
import type { PlatformLimits } from "#platforms/contract.ts";

/** Writes a count with its noun: `1 post`, `3 posts`, `more than 1,000 posts`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  if (count > ACCOUNT_POSTS_MAX) {
    return `more than ${formatNumber(ACCOUNT_POSTS_MAX)} ${plural}`;
  }
  return `${formatNumber(count)} ${count === 1 ? singular : plural}`;
}

export function formatNumber(value: number): string {
  return value.toLocaleString("en-GB");
}

/** Says what disconnecting an account does to its scheduled posts, and how to undo this. */
export function describeDisconnect(posts: { readonly ahead: number; readonly pausedByDisconnect: number }): string {
  if (posts.ahead === 0) {
    return "No scheduled post uses this account.";
  }
  const isOne = posts.ahead === 1;
  const lose = `${capitalize(countOf(posts.ahead, "scheduled post"))} ${isOne ? "loses" : "lose"} this account.`;
  const undo = isOne
    ? "Connect it again before the post is due, and it is included again."
    : "Connect it again before the posts are due, and it is included again.";
  return `${lose} ${describePaused(posts)} ${undo}`;
}

function describePaused({ ahead, pausedByDisconnect }: Parameters<typeof describeDisconnect>[0]): string {
  if (pausedByDisconnect === 0) {
    return ahead === 1
      ? "It is not paused, because it has another account."
      : "None of them is paused, because each has another account.";
  }
  if (ahead === 1) {
    return "It has no other account and will be paused.";
  }
  const paused = pausedByDisconnect === ahead ? "All" : capitalize(countOf(pausedByDisconnect, "of them", "of them"));
  return `${paused} ${pausedByDisconnect === 1 ? "has" : "have"} no other account and will be paused.`;
}

/** Lists where an account's own limits differ from the usual limits of its platform. */
export function describeOwnLimits(own: PlatformLimits, usual: PlatformLimits): readonly string[] {
  const sentences: string[] = [];
  const add = (what: string, ownValue: string, usualValue: string | null) => {
    if (ownValue !== usualValue) {
      sentences.push(usualValue === null ? `${what} ${ownValue}` : `${what} ${ownValue} (usually ${usualValue})`);
    }
  };
  if (own.caption.max !== usual.caption.max) {
    add("Texts up to", `${formatNumber(own.caption.max)} characters`, formatNumber(usual.caption.max));
  }
  const { images, videos } = own.media;
  if (images) {
    add("Up to", countOf(images.max, "image"), usual.media.images && countOf(usual.media.images.max, "image"));
    add("Images up to", formatBytes(images.maxBytes), usual.media.images && formatBytes(usual.media.images.maxBytes));
  }
  if (videos) {
    const { videos: usualVideos } = usual.media;
    add("Videos up to", formatSeconds(videos.maxSeconds), usualVideos && formatSeconds(usualVideos.maxSeconds));
    add("Videos up to", formatBytes(videos.maxBytes), usualVideos && formatBytes(usualVideos.maxBytes));
  }
  for (const { count, windowHours, what } of own.dailyCaps) {
    const usualCap = usual.dailyCaps.find((cap) => cap.what === what && cap.windowHours === windowHours);
    const window = countOf(windowHours, "hour");
    add(
      "Up to",
      `${formatNumber(count)} ${what} in ${window}`,
      usualCap ? `${formatNumber(usualCap.count)} ${what} in ${window}` : null,
    );
  }
  return sentences;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${formatNumber(Math.round((bytes / 1000 ** power) * 10) / 10)} ${UNITS[power] ?? ""}`;
}

function formatSeconds(seconds: number): string {
  if (seconds >= 3600 && seconds % 3600 === 0) {
    return countOf(seconds / 3600, "hour");
  }
  return seconds >= 120 && seconds % 60 === 0 ? countOf(seconds / 60, "minute") : countOf(seconds, "second");
}
