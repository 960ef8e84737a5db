import { MINUTE } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { hosts } from "./hosts.ts";
import { fitting, appTerms, limits, limitsOf } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What X requires of data handling: https://docs.x.com/developer-terms/policy */
const dataPolicy: DataPolicy = {
  use: "Your name, id, picture and kind of subscription, to publish posts and to know how long they may be.",
  revoke: "Revoke the access of Almanac under Settings, Connected apps at https://x.com/settings/connected_apps.",
  statements: [],
  links: [{ title: "X Privacy Policy", url: "https://x.com/privacy" }],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("x");

export const x = defineAdapter({
  platform: "x",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  appTerms,
  limitsOf,
  options,
  optionForm,
  connect: {
    methods: [browserLogin],
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      // An access token is valid for two hours; five minutes cover a call that waits for another call's refresh.
      aheadMs: 5 * MINUTE,
      canRefresh: hasRefreshToken,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: defer((calls) => calls.connect.revoke),
  },
  dataPolicy,
  fitting,
  validate,
  appearance,
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  ...publishing,
});
