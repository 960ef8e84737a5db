import type { SimulatorContext } from "#sandbox/contract.ts";

export interface Channel {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  /** `eligible`: no phone verification, so at most 15 minutes per video. */
  readonly longUploads: "allowed" | "eligible";
}

/**
 * The channels of each login. On Google's page the user chooses one channel, and `mine=true` lists only that channel:
 * https://github.com/gitroomhq/postiz-app/pull/1239
 */
export const CHANNELS: Readonly<Record<string, readonly Channel[]>> = {
  ada: [{ id: "UCada0000000000000000000", title: "Ada Makes", handle: "@adamakes", longUploads: "allowed" }],
  ben: [{ id: "UCben0000000000000000000", title: "Ben Films", handle: "@benfilms", longUploads: "eligible" }],
  cleo: [],
  dora: [{ id: "UCdora000000000000000000", title: "Dora Draws", handle: "@doradraws", longUploads: "allowed" }],
  dora_sings: [{ id: "UCdora000000000000000001", title: "Dora Sings", handle: "@dorasings", longUploads: "allowed" }],
};

/** Google's id of the user behind each login. */
const SUBJECTS: Readonly<Record<string, string>> = {
  ada: "110000000000000000001",
  ben: "110000000000000000002",
  cleo: "110000000000000000003",
  dora: "110000000000000000004",
  dora_sings: "110000000000000000004",
};

/** With the setting `brand_accounts` Google treats a second channel as a separate account, with its own id and grant. */
export function subjectOf(sim: SimulatorContext, login: string): string {
  const isBrandAccount = sim.settings.extra["brand_accounts"] === true && login === "dora_sings";
  return isBrandAccount ? "110000000000000000005" : (SUBJECTS[login] ?? "");
}

/** The logins of the same Google user: one for each of the user's channels. */
export const loginsOfSameUser = (sim: SimulatorContext, login: string): readonly string[] =>
  Object.keys(CHANNELS).filter((other) => subjectOf(sim, other) === subjectOf(sim, login));

export const channelsOf = (login: string): readonly Channel[] => CHANNELS[login] ?? [];

export const uploadsPlaylistId = (channel: Channel): string => channel.id.replace("UC", "UU");
