import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PrepareOutcome } from "#platforms/contract.ts";
import type { Scripted, Sent } from "../../support/answering.ts";
import { access, image, job, NOW, video } from "../../support/job.ts";

export const MB = 1_000_000;
export const UPLOAD = "https://open-upload.tiktokapis.com/video/?upload_id=67890&upload_token=Xza";
export const PUBLISH_ID = "v_pub_file~v2-1.123456789";
export const HOUR = 3_600_000;

const json = (value: JsonValue) => JSON.parse(JSON.stringify(value)) as JsonValue;
export const ok = (data: object): Scripted => ({ json: { data, error: { code: "ok", message: "", log_id: "2026" } } });
export const no = (status: number, code: string): Scripted => ({
  status,
  json: { data: {}, error: { code, message: "", log_id: "2026" } },
});
export const creator = (over: object = {}) =>
  ok({
    creator_username: "ada_moves",
    privacy_level_options: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"],
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: 300,
    ...over,
  });
export const begun = ok({ publish_id: PUBLISH_ID, upload_url: UPLOAD });
export const taken = ok({ publish_id: "p_pub_url~v2.1" });
export const status = (word: string, more: object = {}) => ok({ status: word, ...more });
export const stored = (uploaded: number, total: number): Scripted => ({
  status: 206,
  headers: { "content-range": `bytes 0-${uploaded - 1}/${total}` },
});
export const elsewhere = (uploaded: number, total: number): Scripted => ({
  status: 416,
  headers: { "content-range": `bytes 0-${uploaded}/${total}` },
});

export const OPTIONS = {
  privacy_status: "public",
  allow_comment: true,
  allow_duet: true,
  allow_stitch: true,
  is_ai_generated: false,
  is_draft: false,
};
const account = access({ capabilities: { creatorUsername: "ada_moves" } });

export function clip(sizeBytes = 2 * MB, over: Partial<Job> = {}): Job {
  const post = job({ options: OPTIONS, account, ...over, media: [video({ sizeBytes })] });
  const costless: JobMedia["read"] = (range) =>
    Promise.resolve(new Blob([new Uint8Array(range?.length ?? 0)]).stream());
  // Bytes that cost nothing, where only their number matters.
  return sizeBytes > 5 * MB ? { ...post, media: post.media.map((media) => ({ ...media, read: costless })) } : post;
}

export const photos = (over: Partial<Job> = {}) =>
  job({ options: OPTIONS, account, ...over, media: [image(), image({ id: "0197a000-0000-7000-8000-000000000009" })] });

export const cursor = (over: object = {}): JsonValue => ({
  publishId: PUBLISH_ID,
  uploadUrl: UPLOAD,
  startedAt: NOW,
  piece: 0,
  failures: 0,
  restarts: 0,
  ...over,
});
export const ref = (over: object = {}): JsonValue => ({
  publishId: PUBLISH_ID,
  uploadUrl: UPLOAD,
  terms: null,
  sends: 0,
  sentAt: null,
  accepted: false,
  expired: false,
  ...over,
});
export const TERMS = {
  privacyLevel: "PUBLIC_TO_EVERYONE",
  disableComment: false,
  disableDuet: false,
  disableStitch: false,
};
export const photoRef = (over: object = {}) => ref({ publishId: null, uploadUrl: null, terms: TERMS, ...over });
export const ranges = (sent: readonly Sent[]) => sent.map((one) => one.headers.get("content-range"));
export const paths = (sent: readonly Sent[]) => sent.map((one) => one.url.pathname);
export const cursorOf = (outcome: PrepareOutcome): JsonValue => {
  if (outcome.state !== "again") {
    throw new Error(JSON.stringify(outcome));
  }
  return json(outcome.cursor);
};
