import type { DataPolicy } from "#platforms/contract.ts";

/** https://atproto.com/specs/oauth */
export const dataPolicy: DataPolicy = {
  use: "Your handle, name, picture and the address of your server, to publish posts to your account.",
  revoke:
    "Revoke the access of Almanac, or delete its app password, in the settings of your account under Privacy and security.",
  statements: [],
  links: [{ title: "Bluesky Privacy Policy", url: "https://bsky.social/about/support/privacy-policy" }],
};
