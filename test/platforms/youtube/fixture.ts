import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PrepareOutcome } from "#platforms/contract.ts";
import type { Scripted, Sent } from "../../support/answering.ts";
import { access, job, NOW, video } from "../../support/job.ts";

const KIB = 1024;
export const MIB = 1024 * KIB;
export const GRAIN = 256 * KIB;
export const SESSION = "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=ABC";

export const json = (value: JsonValue) => JSON.parse(JSON.stringify(value)) as JsonValue;
export const begun: Scripted = { headers: { location: SESSION } };
export const more = (kept: number): Scripted => ({
  status: 308,
  headers: kept === 0 ? {} : { range: `bytes=0-${kept - 1}` },
});
export const made = (over: object = {}): Scripted => ({
  status: 201,
  json: {
    kind: "youtube#video",
    id: "dQw4example",
    status: { uploadStatus: "uploaded", privacyStatus: "public", selfDeclaredMadeForKids: false },
    ...over,
  },
});
export const trouble = (status: number, reason: string): Scripted => ({
  status,
  json: { error: { code: status, message: "No.", errors: [{ reason, domain: "youtube", message: "No." }] } },
});

export function post(sizeBytes: number, over: Partial<Job> = {}): Job {
  return job({
    options: { title: "How to glaze a bowl", made_for_kids: false },
    account: access({ platformAccountId: "UCa", capabilities: { uploads: "UUa" } }),
    ...over,
    media: [video({ sizeBytes })],
  });
}

/** Bytes that cost nothing, where only their number matters. */
export function bulky(sizeBytes: number): Job {
  const costless: JobMedia["read"] = (range) =>
    Promise.resolve(new Blob([new Uint8Array(range?.length ?? 0)]).stream());
  const whole = post(sizeBytes);
  return { ...whole, media: whole.media.map((media) => ({ ...media, read: costless })) };
}

export const cursor = (over: object = {}): JsonValue => ({
  session: SESSION,
  startedAt: NOW,
  offset: 0,
  doubt: false,
  failures: 0,
  restarts: 0,
  ...over,
});
export const ref = (over: object = {}): JsonValue => ({
  session: SESSION,
  startedAt: NOW,
  offset: 0,
  sends: 0,
  sentAt: null,
  ...over,
});
export const ranges = (sent: readonly Sent[]) => sent.map((one) => one.headers.get("content-range"));
export const cursorOf = (outcome: PrepareOutcome): JsonValue => {
  if (outcome.state !== "again") {
    throw new Error(JSON.stringify(outcome));
  }
  return json(outcome.cursor);
};
