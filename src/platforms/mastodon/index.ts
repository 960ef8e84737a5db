import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { hosts, serverField, serverOf, serverOfLogin } from "./hosts.ts";
import { limits, limitsOf } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** How to revoke access: https://docs.joinmastodon.org/methods/oauth/#revoke */
const dataPolicy: DataPolicy = {
  use: "Your name, id and picture and the limits of your server, to publish posts to your account.",
  revoke: "Revoke the access of Almanac on your server under Preferences, Account, Authorized apps.",
  statements: [],
  links: [],
};

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
        serverOf,
        clientMetadata: null,
        ...login,
      },
    ],
    serverOfLogin,
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
