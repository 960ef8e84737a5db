import { MINUTE } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { appearance } from "./appearance.ts";
import { hosts } from "./hosts.ts";
import { limits, limitsOf } from "./limits.ts";
import { clientMetadata, appPasswordFields, loginFields } from "./login.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What Bluesky requires of data handling: https://atproto.com/specs/oauth */
const dataPolicy: DataPolicy = {
  use: "Your handle, name, picture and the address of your server, to publish posts to your account.",
  revoke:
    "Revoke the access of Almanac, or delete its app password, in the settings of your account under Privacy and security.",
  statements: [],
  links: [{ title: "Bluesky Privacy Policy", url: "https://bsky.social/about/support/privacy-policy" }],
};

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
    // The DID stands for the login's server, because the id of a login does not name one.
    serverOfLogin: (did) => did,
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      // An access token is valid for an hour or less. Five minutes are enough for a running step.
      aheadMs: 5 * MINUTE,
      canRefresh: hasRefreshToken,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: defer((calls) => calls.connect.revoke),
  },
  dataPolicy,
  validate,
  appearance,
  // Only videos need processing ahead. Images are uploaded at the due time, because servers soon delete unused files.
  prepareAheadMs: (job) => (job.media.some((media) => media.type === "video") ? 5 * MINUTE : 0),
  ...publishing,
});
