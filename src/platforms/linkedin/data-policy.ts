import type { DataPolicy } from "#platforms/contract.ts";

/** https://www.linkedin.com/legal/l/api-terms-of-use */
export const dataPolicy: DataPolicy = {
  use: "Your name, id and picture and the pages that you administer, to publish posts in your name or in that of the pages you chose.",
  revoke:
    "Remove Almanac under Settings, Data privacy, Permitted services at https://www.linkedin.com/psettings/permitted-services.",
  statements: [],
  links: [{ title: "LinkedIn Privacy Policy", url: "https://www.linkedin.com/legal/privacy-policy" }],
};
