import type { DataPolicy } from "#platforms/contract.ts";

/** https://developers.facebook.com/terms/#privacypolicy */
export const dataPolicy: DataPolicy = {
  use: "The name, id, picture and kind of your professional account, to publish posts to it and to show what became of them.",
  revoke: "Remove Almanac under Settings, Apps and websites at https://www.instagram.com/accounts/manage_access/.",
  statements: [],
  links: [{ title: "Meta Privacy Policy", url: "https://privacycenter.instagram.com/policy" }],
};
