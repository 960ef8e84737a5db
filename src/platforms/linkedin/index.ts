import { DAY, MINUTE } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { hosts, isCommunityApp } from "./hosts.ts";
import { fitting, limits } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What LinkedIn requires of data handling: https://www.linkedin.com/legal/l/api-terms-of-use */
const dataPolicy: DataPolicy = {
  use: "Your name, id and picture and the pages that you administer, to publish posts in your name or in that of the pages you chose.",
  revoke:
    "Remove Almanac under Settings, Data privacy, Permitted services at https://www.linkedin.com/psettings/permitted-services.",
  statements: [],
  links: [{ title: "LinkedIn Privacy Policy", url: "https://www.linkedin.com/legal/privacy-policy" }],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("linkedin");

/** How long (ms) before the due time a document is uploaded, because LinkedIn turns it into pages afterwards. */
const DOCUMENT_AHEAD_MS = 5 * MINUTE;

export const linkedin = defineAdapter({
  platform: "linkedin",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  optionScopes: () => ({ first_comment: ["w_organization_social_feed", "r_organization_social_feed"] }),
  optionForm,
  connect: {
    methods: [browserLogin],
    choiceOfAccounts: (app) =>
      isCommunityApp(app)
        ? "Then you choose here whether to connect your profile, pages that you manage, or both."
        : null,
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      aheadMs: 7 * DAY,
      // Only approved partner apps get a refresh token. Users of other apps must log in again every 60 days.
      canRefresh: hasRefreshToken,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: defer((calls) => calls.connect.revoke),
  },
  dataPolicy,
  fitting,
  takesMentions: true,
  validate,
  appearance,
  prepareAheadMs: ({ media, hasDocument }) => (hasDocument ? DOCUMENT_AHEAD_MS : defaultPrepareAheadMs(media)),
  ...publishing,
});
