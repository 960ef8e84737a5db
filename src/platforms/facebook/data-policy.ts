import type { DataPolicy } from "#platforms/contract.ts";

/** https://developers.facebook.com/terms/#privacypolicy */
export const dataPolicy: DataPolicy = {
  use: "The names, ids and pictures of your Pages and your role on them, to publish posts to the Pages you chose and to show what became of them.",
  revoke:
    "Remove Almanac under Settings, Business integrations at https://www.facebook.com/settings?tab=business_tools.",
  statements: [],
  links: [{ title: "Meta Privacy Policy", url: "https://www.facebook.com/privacy/policy" }],
};
