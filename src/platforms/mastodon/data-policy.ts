import type { DataPolicy } from "#platforms/contract.ts";

/** https://docs.joinmastodon.org/methods/oauth/#revoke */
export const dataPolicy: DataPolicy = {
  use: "Your name, id and picture and the limits of your server, to publish posts to your account.",
  revoke: "Revoke the access of Almanac on your server under Preferences, Account, Authorized apps.",
  statements: [],
  links: [],
};
