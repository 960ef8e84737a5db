import { DAY } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { deferCalls } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { limitsWithOwnCap } from "#platforms/own-cap.ts";
import { readSignedRequest } from "#platforms/signed-request.ts";
import { appearance } from "./appearance.ts";
import { dataPolicy } from "./data-policy.ts";
import { fitting, fittingFor } from "./fitting.ts";
import { commentScope, hosts, loginVariant } from "./hosts.ts";
import { limits } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { validate } from "./validate.ts";

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
        ? "Meta asks which Pages and Instagram accounts to share: only those you choose there are connected."
        : null,
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      // A token is valid for 60 days and can be refreshed once it is a day old.
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
