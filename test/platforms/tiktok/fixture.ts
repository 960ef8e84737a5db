import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PrepareOutcome } from "#platforms/contract.ts";
import type { ScriptedResponse, SentRequest } from "../../support/scripted-http-client.ts";
import { accountAccess, image, job, NOW, video } from "../../support/adapter-inputs.ts";

export const MB = 1_000_000;
export const UPLOAD_URL = "https://open-upload.tiktokapis.com/video/?upload_id=67890&upload_token=Xza";
export const PUBLISH_ID = "v_pub_file~v2-1.123456789";
export const HOUR = 3_600_000;

const toJson = (value: JsonValue) => JSON.parse(JSON.stringify(value)) as JsonValue;
export const success = (data: object): ScriptedResponse => ({
  json: { data, error: { code: "ok", message: "", log_id: "2026" } },
});
export const apiError = (status: number, code: string): ScriptedResponse => ({
  status,
  json: { data: {}, error: { code, message: "", log_id: "2026" } },
});
export const creatorInfo = (overrides: object = {}) =>
  success({
    creator_username: "ada_moves",
    privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: 300,
    ...overrides,
  });
export const uploadStarted = success({ publish_id: PUBLISH_ID, upload_url: UPLOAD_URL });
export const photosAccepted = success({ publish_id: "p_pub_url~v2.1" });
export const publishStatus = (status: string, overrides: object = {}) => success({ status, ...overrides });
export const chunkStored = (uploaded: number, total: number): ScriptedResponse => ({
  status: 206,
  headers: { "content-range": `bytes 0-${uploaded - 1}/${total}` },
});
export const wrongChunk = (uploaded: number, total: number): ScriptedResponse => ({
  status: 416,
  headers: { "content-range": `bytes 0-${uploaded}/${total}` },
});

export const OPTIONS = {
  privacy_status: "public",
  allow_comment: true,
  allow_duet: true,
  allow_stitch: true,
  is_ai_generated: false,
  disclose_your_brand: false,
  disclose_branded_content: false,
  is_draft: false,
};
const AUDITED_APP = { clientId: "client-id", clientSecret: "client-secret", settings: { AUDITED: "true" } };
const account = accountAccess({ capabilities: { creatorUsername: "ada_moves" }, app: AUDITED_APP });

export function videoJob(sizeBytes = 2 * MB, overrides: Partial<Job> = {}): Job {
  const post = job({ options: OPTIONS, account, ...overrides, media: [video({ sizeBytes })] });
  const readZeros: JobMedia["read"] = (range) =>
    Promise.resolve(new Blob([new Uint8Array(range?.length ?? 0)]).stream());
  // Large files are all zeros: only their size matters.
  return sizeBytes > 5 * MB ? { ...post, media: post.media.map((media) => ({ ...media, read: readZeros })) } : post;
}

export const photoJob = (overrides: Partial<Job> = {}) =>
  job({
    options: OPTIONS,
    account,
    ...overrides,
    media: [image(), image({ id: "0197a000-0000-7000-8000-000000000009" })],
  });

export const cursor = (overrides: object = {}): JsonValue => ({
  publishId: PUBLISH_ID,
  uploadUrl: UPLOAD_URL,
  startedAt: NOW,
  chunkIndex: 0,
  failureCount: 0,
  restartCount: 0,
  ...overrides,
});
export const commitRef = (overrides: object = {}): JsonValue => ({
  publishId: PUBLISH_ID,
  uploadUrl: UPLOAD_URL,
  postSettings: null,
  sendCount: 0,
  sentAt: null,
  accepted: false,
  completedAt: null,
  uploadExpired: false,
  ...overrides,
});
export const POST_SETTINGS = {
  privacyLevel: "PUBLIC_TO_EVERYONE",
  disableComment: false,
  disableDuet: false,
  disableStitch: false,
};
export const photoCommitRef = (overrides: object = {}) =>
  commitRef({ publishId: null, uploadUrl: null, postSettings: POST_SETTINGS, ...overrides });
export const contentRanges = (requests: readonly SentRequest[]) =>
  requests.map((request) => request.headers.get("content-range"));
export const paths = (requests: readonly SentRequest[]) => requests.map((request) => request.url.pathname);
export const cursorOf = (outcome: PrepareOutcome): JsonValue => {
  if (outcome.state !== "again") {
    throw new Error(JSON.stringify(outcome));
  }
  return toJson(outcome.cursor);
};
