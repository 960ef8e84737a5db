import { MINUTE } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { dataPolicy } from "./data-policy.ts";
import { fitting } from "./fitting.ts";
import { hosts } from "./hosts.ts";
import { appTerms, limits, limitsOf } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { validate } from "./validate.ts";

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
