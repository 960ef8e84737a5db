import type { DataPolicy } from "#platforms/contract.ts";

/** https://developers.facebook.com/terms/#privacypolicy */
export const dataPolicy: DataPolicy = {
  use: "The name, id and picture of your profile, to publish posts to it and to show what became of them.",
  revoke: "Remove Almanac in the settings of Threads, under Account, Website permissions.",
  statements: [],
  links: [{ title: "Threads Supplemental Privacy Policy", url: "https://help.instagram.com/515230437301944" }],
};
