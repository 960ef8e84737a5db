export interface Channel {
  readonly id: string;
  readonly title: string;
  readonly handle: string;
  /** `eligible`: no phone verification, so at most 15 minutes per video. */
  readonly longUploads: "allowed" | "eligible";
}

export const CHANNELS: Readonly<Record<string, readonly Channel[]>> = {
  ada: [{ id: "UCada0000000000000000000", title: "Ada Makes", handle: "@adamakes", longUploads: "allowed" }],
  ben: [{ id: "UCben0000000000000000000", title: "Ben Films", handle: "@benfilms", longUploads: "eligible" }],
  cleo: [],
  dora: [
    { id: "UCdora000000000000000000", title: "Dora Draws", handle: "@doradraws", longUploads: "allowed" },
    { id: "UCdora000000000000000001", title: "Dora Sings", handle: "@dorasings", longUploads: "allowed" },
  ],
};

export const channelsOf = (login: string): readonly Channel[] => CHANNELS[login] ?? [];

/** The playlist of all uploads of a channel. */
export const uploadsPlaylistId = (channel: Channel): string => channel.id.replace("UC", "UU");
