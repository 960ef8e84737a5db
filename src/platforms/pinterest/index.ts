import { SECOND } from "#core/clock.ts";
import { defineAdapter } from "#platforms/contract.ts";
import { defaultPrepareAheadMs } from "#platforms/media-rules.ts";
import { listBoards, fetchCapabilities } from "./boards.ts";
import { appearance } from "./appearance.ts";
import { commit } from "./commit.ts";
import { connect } from "./connect.ts";
import { dataPolicy } from "./data-policy.ts";
import { hosts } from "./hosts.ts";
import { limits } from "./limits.ts";
import { optionForm } from "./option-form.ts";
import { options } from "./options.ts";
import { prepare } from "./prepare.ts";
import { validate } from "./validate.ts";
import { verify } from "./verify.ts";

/** A low estimate of the upload speed. */
const MIN_UPLOAD_BYTES_PER_SECOND = 5_000_000;

export const pinterest = defineAdapter({
  platform: "pinterest",
  hosts,
  hasUserNamedHosts: false,
  operatorCredentials: "required",
  limits,
  options,
  optionForm,
  connect,
  dataPolicy,
  validate,
  appearance,
  fetchCapabilities,
  listBoards,
  // Only a video needs preparation; it is uploaded once per board.
  prepareAheadMs: ({ media }) => {
    const video = media.find((item) => item.type === "video");
    return video ? defaultPrepareAheadMs(media) + Math.ceil(video.sizeBytes / MIN_UPLOAD_BYTES_PER_SECOND) * SECOND : 0;
  },
  prepare,
  commit,
  verify,
});
