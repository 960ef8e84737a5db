import { defineAdapter } from "#platforms/contract.ts";
import { deferCalls } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits, limitsOf } from "./limits.ts";
import { serverField } from "./login-fields.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { validate } from "./validate.ts";

const { defer, publishing, listAccounts, login } = deferCalls("mastodon");

export const mastodon = defineAdapter({
  platform: "mastodon",
  hosts,
  hasUserNamedHosts: true,
  operatorCredentials: "none",
  limits,
  limitsOf,
  options,
  optionForm,
  connect: {
    methods: [
      {
        kind: "oauth",
        input: [serverField],
        clientMetadata: null,
        ...login,
      },
    ],
    listAccounts,
    tokenRefresh: { kind: "none" },
    revoke: defer((calls) => calls.connect.revoke),
  },
  dataPolicy,
  validate,
  appearance,
  fetchCapabilities: defer((calls) => calls.fetchCapabilities),
  prepareAheadMs: (job) => defaultPrepareAheadMs(job.media),
  ...publishing,
});
