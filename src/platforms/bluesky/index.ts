import { MINUTE } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { appearance } from "./appearance.ts";
import { clientMetadata } from "./client-metadata.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits, limitsOf } from "./limits.ts";
import { appPasswordFields, loginFields } from "./login-fields.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { validate } from "./validate.ts";

const { defer, publishing, listAccounts, login } = deferCalls("bluesky");

export const bluesky = defineAdapter({
  platform: "bluesky",
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
        input: loginFields,
        clientMetadata,
        ...login,
      },
      { kind: "credentials", fields: appPasswordFields, signIn: defer((calls) => calls.connect.signIn) },
    ],
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      // An access token is valid for an hour or less; five minutes cover a step that is under way.
      aheadMs: 5 * MINUTE,
      canRefresh: hasRefreshToken,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: defer((calls) => calls.connect.revoke),
  },
  dataPolicy,
  validate,
  appearance,
  // Only a video has to be processed; images are uploaded at the due time, because servers delete unused files early.
  prepareAheadMs: (job) => (job.media.some((media) => media.type === "video") ? 5 * MINUTE : 0),
  ...publishing,
});
