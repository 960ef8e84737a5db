import type { DataPolicy } from "#platforms/contract.ts";

const TERMS_STATEMENT = "By connecting a channel you agree to be bound by the YouTube Terms of Service.";
const TERMS_LINK = { title: "YouTube Terms of Service", url: "https://www.youtube.com/t/terms" };

/** https://developers.google.com/youtube/terms/developer-policies: III.A.1 for the terms, III.A.2 for the privacy page. */
export const dataPolicy: DataPolicy = {
  use: "The name, id and picture of your channels, to upload videos that you confirmed and to show what became of them, through YouTube API Services.",
  revoke: "Revoke the access of Almanac at https://security.google.com/settings/security/permissions.",
  statements: [
    TERMS_STATEMENT,
    "The use and transfer of information received from Google APIs adheres to the Google API Services User Data Policy, including the Limited Use requirements.",
  ],
  links: [
    TERMS_LINK,
    { title: "Google Privacy Policy", url: "https://policies.google.com/privacy" },
    {
      title: "Google API Services User Data Policy",
      url: "https://developers.google.com/terms/api-services-user-data-policy",
    },
  ],
  terms: { statement: TERMS_STATEMENT, ...TERMS_LINK },
};
