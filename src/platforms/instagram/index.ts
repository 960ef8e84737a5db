import { DAY } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { limitsWithOwnCap } from "#platforms/own-cap.ts";
import { readSignedRequest } from "#platforms/signed-request.ts";
import { appearance } from "./appearance.ts";
import { commentScope, hosts, loginVariant } from "./hosts.ts";
import { fitting, fittingFor, limits } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What Meta requires of data handling: https://developers.facebook.com/terms/#privacypolicy */
const dataPolicy: DataPolicy = {
  use: "The name, id, picture and kind of your professional account, to publish posts to it and to show what became of them.",
  revoke: "Remove Almanac under Settings, Apps and websites at https://www.instagram.com/accounts/manage_access/.",
  statements: [],
  links: [{ title: "Meta Privacy Policy", url: "https://privacycenter.instagram.com/policy" }],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("instagram");

export const instagram = defineAdapter({
  platform: "instagram",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  optionScopes: (settings) => ({ first_comment: [commentScope(settings)] }),
  optionForm,
  connect: {
    methods: [browserLogin],
    choiceOfAccounts: (app) =>
      loginVariant(app) === "page"
        ? "Meta asks which Pages and Instagram accounts to share. Then you choose here which of them to connect."
        : null,
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      // A token is valid for 60 days, and can be refreshed once it is a day old.
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
  fetchCapabilities: defer((calls) => calls.fetchCapabilities),
  limitsOf: (capabilities) => limitsWithOwnCap(capabilities, limits),
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  ...publishing,
});
