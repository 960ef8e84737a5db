import { DAY } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { readSignedRequest } from "#platforms/signed-request.ts";
import { appearance } from "./appearance.ts";
import { hosts } from "./hosts.ts";
import { fitting, fittingFor, COVER_SCOPES, limits, limitsOf } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What Meta requires of data handling: https://developers.facebook.com/terms/#privacypolicy */
const dataPolicy: DataPolicy = {
  use: "The names, ids and pictures of your Pages and your role on them, to publish posts to the Pages you chose and to show what became of them.",
  revoke:
    "Remove Almanac under Settings, Business integrations at https://www.facebook.com/settings?tab=business_tools.",
  statements: [],
  links: [{ title: "Meta Privacy Policy", url: "https://www.facebook.com/privacy/policy" }],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("facebook");

export const facebook = defineAdapter({
  platform: "facebook",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  limitsOf,
  options,
  optionScopes: () => ({ first_comment: ["pages_manage_engagement"], cover: COVER_SCOPES }),
  optionForm,
  connect: {
    methods: [browserLogin],
    choiceOfAccounts: () => "Facebook asks which Pages to share. Then you choose here which of them to connect.",
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      aheadMs: 15 * DAY,
      canRefresh: () => true,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: defer((calls) => calls.connect.revoke),
    readSignedRequest,
  },
  dataPolicy,
  fitting,
  fittingFor,
  validate,
  appearance,
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  ...publishing,
});
