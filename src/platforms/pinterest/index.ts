import { DAY, SECOND } from "#core/clock.ts";
import { type DataPolicy, defineAdapter } from "#platforms/contract.ts";
import { deferCalls, hasRefreshToken } from "#platforms/defer-calls.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { appearance } from "./appearance.ts";
import { hosts } from "./hosts.ts";
import { fitting, limits } from "./limits.ts";
import { optionForm, options } from "./options.ts";
import { validate } from "./validate.ts";

/** What Pinterest requires of data handling: https://policy.pinterest.com/developer-guidelines */
const dataPolicy: DataPolicy = {
  use: "Your name, id and picture and the names of your boards, to publish Pins to the boards you chose.",
  revoke:
    "Revoke the access of Almanac under Settings, Security, Connected apps at https://www.pinterest.com/settings/security.",
  statements: [],
  links: [{ title: "Pinterest Privacy Policy", url: "https://policy.pinterest.com/privacy-policy" }],
};

const { defer, publishing, listAccounts, browserLogin } = deferCalls("pinterest");

/** A low estimate of the upload speed, which decides how early an upload starts. */
const MIN_UPLOAD_BYTES_PER_SECOND = 5_000_000;

export const pinterest = defineAdapter({
  platform: "pinterest",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  optionForm,
  connect: {
    methods: [browserLogin],
    listAccounts,
    tokenRefresh: {
      kind: "refresh",
      aheadMs: 7 * DAY,
      canRefresh: hasRefreshToken,
      refresh: defer((calls) => calls.connect.refresh),
    },
    revoke: null,
  },
  dataPolicy,
  fitting,
  validate,
  appearance,
  fetchCapabilities: defer((calls) => calls.fetchCapabilities),
  listBoards: defer((calls) => calls.listBoards),
  // Only a video needs preparation. It is uploaded once for each board.
  prepareAheadMs: ({ media }) => {
    const video = media.find((item) => item.type === "video");
    return video ? defaultPrepareAheadMs(media) + Math.ceil(video.sizeBytes / MIN_UPLOAD_BYTES_PER_SECOND) * SECOND : 0;
  },
  ...publishing,
});
