import type { JsonValue } from "#core/json.ts";
import type { Job, JobMedia, PrepareOutcome } from "#platforms/contract.ts";
import type { ScriptedResponse, SentRequest } from "../../support/scripted-http-client.ts";
import { accountAccess, job, NOW, video } from "../../support/adapter-inputs.ts";

const KIB = 1024;
export const MIB = 1024 * KIB;
export const CHUNK_MULTIPLE = 256 * KIB;
export const SESSION_URL = "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=ABC";

export const toJson = (value: JsonValue) => JSON.parse(JSON.stringify(value)) as JsonValue;
export const sessionStarted: ScriptedResponse = { headers: { location: SESSION_URL } };
export const incomplete = (storedBytes: number): ScriptedResponse => ({
  status: 308,
  headers: storedBytes === 0 ? {} : { range: `bytes=0-${storedBytes - 1}` },
});
export const videoCreated = (overrides: object = {}): ScriptedResponse => ({
  status: 201,
  json: {
    kind: "youtube#video",
    id: "dQw4example",
    status: { uploadStatus: "uploaded", privacyStatus: "public", selfDeclaredMadeForKids: false },
    ...overrides,
  },
});
export const apiError = (status: number, reason: string): ScriptedResponse => ({
  status,
  json: { error: { code: status, message: "No.", errors: [{ reason, domain: "youtube", message: "No." }] } },
});

/** A public video to which `open` is still to be added. */
export const extrasProgress = (open: readonly string[], changes: object = {}): JsonValue =>
  toJson({
    extras: {
      post: { id: "dQw4example", url: "https://www.youtube.com/watch?v=dQw4example", at: NOW - 5000 },
      open: [...open],
      index: 0,
      tries: 0,
      looksFirst: false,
      results: {},
      ...changes,
    },
  });

export function videoJob(sizeBytes: number, overrides: Partial<Job> = {}): Job {
  return job({
    options: { title: "How to glaze a bowl", made_for_kids: false },
    account: accountAccess({ platformAccountId: "UCa", capabilities: { uploads: "UUa" } }),
    ...overrides,
    media: [video({ sizeBytes })],
  });
}

/** A job whose media is all zeros, for tests where only the size matters. */
export function zeroFilledVideoJob(sizeBytes: number): Job {
  const readZeros: JobMedia["read"] = (range) =>
    Promise.resolve(new Blob([new Uint8Array(range?.length ?? 0)]).stream());
  const original = videoJob(sizeBytes);
  return { ...original, media: original.media.map((media) => ({ ...media, read: readZeros })) };
}

export const cursor = (overrides: object = {}): JsonValue => ({
  sessionUrl: SESSION_URL,
  startedAt: NOW,
  offset: 0,
  offsetUnknown: false,
  failureCount: 0,
  restartCount: 0,
  ...overrides,
});
export const commitRef = (overrides: object = {}): JsonValue => ({
  sessionUrl: SESSION_URL,
  startedAt: NOW,
  offset: 0,
  sendCount: 0,
  sentAt: null,
  videoId: null,
  ...overrides,
});
export const contentRanges = (requests: readonly SentRequest[]) =>
  requests.map((request) => request.headers.get("content-range"));
export const cursorOf = (outcome: PrepareOutcome): JsonValue => {
  if (outcome.state !== "again") {
    throw new Error(JSON.stringify(outcome));
  }
  return toJson(outcome.cursor);
};
