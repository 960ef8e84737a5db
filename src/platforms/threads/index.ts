import { DAY, MINUTE } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { limitsWithOwnCap } from "#platforms/own-cap.ts";
import { readSignedRequest } from "#platforms/signed-request.ts";
import { appearance } from "./appearance.ts";
import { hosts, THREAD_SCOPES } from "./hosts.ts";
import { fitting, limits } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What Meta requires of data handling: https://developers.facebook.com/terms/#privacypolicy */
const dataPolicy: DataPolicy = {
  use: "The name, id and picture of your profile, to publish posts to it and to show what became of them.",
  revoke: "Remove Almanac in the settings of Threads, under Account, Website permissions.",
  statements: [],
  links: [{ title: "Threads Supplemental Privacy Policy", url: "https://help.instagram.com/515230437301944" }],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("threads");

export const threads = defineAdapter({
  platform: "threads",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  optionForm,
  optionScopes: () => ({ thread: THREAD_SCOPES }),
  connect: {
    methods: [browserLogin],
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      // A token is valid for 60 days and can be refreshed once it is a day old.
      aheadMs: 15 * DAY,
      canRefresh: () => true,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: null,
    readSignedRequest,
  },
  dataPolicy,
  fitting,
  validate,
  appearance,
  fetchCapabilities: defer((calls) => calls.fetchCapabilities),
  limitsOf: (capabilities) => limitsWithOwnCap(capabilities, limits),
  // Text posts need a container too, which takes about half a minute.
  prepareAheadMs: (job) => Math.max(MINUTE, defaultPrepareAheadMs(job.media)),
  ...publishing,
});
