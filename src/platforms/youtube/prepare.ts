import type { JsonObject, JsonValue } from "#core/json.ts";
import { call, isOk } from "#platforms/answer.ts";
import type { Job, JobMedia, PrepareOutcome, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bearer, postJson, withQuery } from "#platforms/form.ts";
import { toFault } from "./errors.ts";
import { UPLOAD_HOSTS, UPLOAD_URL } from "./hosts.ts";
import { Cursor, type Ref } from "./refs.ts";
import { lastPieceFrom, nextPieceBytes, NO_VIDEO, probe, sendPiece, videoOf } from "./session.ts";

/** "People & Blogs", what YouTube itself assumes. */
const CATEGORY = "22";
/** What one call sends before it hands over to the next alarm: 32 MiB. */
const PIECES_PER_CALL = 4;
const MOST_FAILURES = 5;
const MOST_RESTARTS = 2;
/** Nobody documents how long a session lives; it is said to be a week. */
const SESSION_LIFETIME_MS = 5 * 86_400_000;

/** Everything but the last bytes: until those are there, there is no video. */
export async function prepare(
  client: PlatformClient,
  job: Job,
  cursor: JsonValue | undefined,
): Promise<PrepareOutcome> {
  const media = videoOf(job);
  if (!media) {
    return { state: "refused", fault: NO_VIDEO };
  }
  return cursor === undefined
    ? await start(client, job, media, 0)
    : await upload(client, job, media, Cursor.parse(cursor));
}

/** Only the address of the session is wanted: it is in the journal before the first byte leaves. */
async function start(client: PlatformClient, job: Job, media: JobMedia, restarts: number): Promise<PrepareOutcome> {
  const url = withQuery(UPLOAD_URL, { uploadType: "resumable", part: "snippet,status", notifySubscribers: true });
  const answer = await call(
    client,
    url,
    postJson(resourceOf(job), {
      ...bearer(job.account.accessToken),
      "x-upload-content-type": media.contentType,
      "x-upload-content-length": String(media.sizeBytes),
    }),
  );
  const session = isOk(answer) ? URL.parse(answer.headers.get("location") ?? "") : null;
  // Token and video go to that address: it must be the platform's own.
  if (session?.protocol !== "https:" || !UPLOAD_HOSTS.includes(session.hostname)) {
    const fault = isOk(answer)
      ? temporary("YouTube did not say where the video goes.", { httpStatus: answer.status })
      : toFault(answer, job.now);
    return { state: "refused", fault };
  }
  const cursor: Cursor = {
    session: session.href,
    startedAt: job.now,
    offset: 0,
    doubt: false,
    failures: 0,
    restarts,
  };
  return { state: "again", afterSeconds: 0, cursor };
}

/** Both settings are always sent: what is left out, YouTube decides by rules that have changed before. */
function resourceOf(job: Job): JsonObject {
  return {
    snippet: { title: titleOf(job), description: job.caption, categoryId: CATEGORY },
    status: { privacyStatus: "public", selfDeclaredMadeForKids: job.options["made_for_kids"] === true },
  };
}

export function titleOf(job: Job): string {
  return typeof job.options["title"] === "string" ? job.options["title"] : "";
}

async function upload(client: PlatformClient, job: Job, media: JobMedia, begun: Cursor): Promise<PrepareOutcome> {
  let step = begun;
  for (let round = 0; round < PIECES_PER_CALL; round++) {
    const length = nextPieceBytes(step.offset, media.sizeBytes);
    if (!step.doubt && length === 0) {
      return ready(step, media);
    }
    const { heard, httpStatus } = step.doubt
      ? await probe(client, job, media, step.session)
      : await sendPiece(client, job, media, step.session, { offset: step.offset, length });
    switch (heard.state) {
      case "incomplete":
        step = told(step, heard.offset);
        if (step.failures > MOST_FAILURES) {
          return troubled(httpStatus);
        }
        break;
      case "complete":
        // The answer to the last piece will say the same once more.
        return ready(step, media);
      case "gone":
        return step.restarts < MOST_RESTARTS
          ? await start(client, job, media, step.restarts + 1)
          : troubled(httpStatus);
      case "refused":
        return { state: "refused", fault: heard.fault };
      case "unclear":
        return step.failures < MOST_FAILURES
          ? {
              state: "again",
              afterSeconds: 2 ** step.failures,
              cursor: { ...step, doubt: true, failures: step.failures + 1 },
            }
          : troubled(httpStatus);
    }
  }
  return { state: "again", afterSeconds: 0, cursor: step };
}

/** YouTube counts, not we: it may have kept less than was sent. */
function told(step: Cursor, offset: number): Cursor {
  const isProgress = offset > step.offset;
  const failures = isProgress ? 0 : step.failures + (step.doubt ? 0 : 1);
  return { ...step, offset, doubt: false, failures };
}

function troubled(httpStatus: number | null): PrepareOutcome {
  return { state: "refused", fault: temporary("YouTube did not take the whole upload.", { httpStatus }) };
}

function ready(step: Cursor, media: JobMedia): PrepareOutcome {
  const ref: Ref = {
    session: step.session,
    startedAt: step.startedAt,
    offset: Math.min(step.offset, lastPieceFrom(media.sizeBytes)),
    sends: 0,
    sentAt: null,
  };
  return { state: "ready", ref, expiresAt: step.startedAt + SESSION_LIFETIME_MS };
}
