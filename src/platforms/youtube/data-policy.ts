import type { DataPolicy } from "#platforms/contract.ts";

/** https://developers.google.com/youtube/terms/developer-policies */
export const dataPolicy: DataPolicy = {
  use: "The name, id and picture of your channels, to upload videos that you confirmed and to show what became of them, through YouTube API Services.",
  revoke: "Revoke the access of Almanac at https://security.google.com/settings/security/permissions.",
  statements: [
    "By connecting a channel you agree to be bound by the YouTube Terms of Service.",
    "The use and transfer of information received from Google APIs adheres to the Google API Services User Data Policy, including the Limited Use requirements.",
  ],
  links: [
    { title: "YouTube Terms of Service", url: "https://www.youtube.com/t/terms" },
    { title: "Google Privacy Policy", url: "https://policies.google.com/privacy" },
    {
      title: "Google API Services User Data Policy",
      url: "https://developers.google.com/terms/api-services-user-data-policy",
    },
  ],
};
