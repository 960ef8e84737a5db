import type { DataPolicy } from "#platforms/contract.ts";

/** https://developers.tiktok.com/doc/content-sharing-guidelines */
export const dataPolicy: DataPolicy = {
  use: "Your display name, picture and the posting settings of your account, to offer the choices that TikTok allows you and to publish videos and photos that you confirmed.",
  revoke:
    "Remove Almanac in the TikTok app under Settings and privacy, Security and permissions, Apps and services permissions.",
  statements: [],
  links: [
    { title: "TikTok Privacy Policy", url: "https://www.tiktok.com/legal/privacy-policy" },
    { title: "TikTok Terms of Service", url: "https://www.tiktok.com/legal/terms-of-service" },
  ],
};
