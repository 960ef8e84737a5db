import type { DataPolicy } from "#platforms/contract.ts";

/** https://docs.x.com/developer-terms/policy */
export const dataPolicy: DataPolicy = {
  use: "Your name, id, picture and kind of subscription, to publish posts and to know how long they may be.",
  revoke: "Revoke the access of Almanac under Settings, Connected apps at https://x.com/settings/connected_apps.",
  statements: [],
  links: [{ title: "X Privacy Policy", url: "https://x.com/privacy" }],
};
