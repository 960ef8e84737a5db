import type { DataPolicy } from "#platforms/contract.ts";

/** https://policy.pinterest.com/developer-guidelines */
export const dataPolicy: DataPolicy = {
  use: "Your name, id and picture and the names of your boards, to publish Pins to the boards you chose.",
  revoke:
    "Revoke the access of Almanac under Settings, Security, Connected apps at https://www.pinterest.com/settings/security.",
  statements: [],
  links: [{ title: "Pinterest Privacy Policy", url: "https://policy.pinterest.com/privacy-policy" }],
};
