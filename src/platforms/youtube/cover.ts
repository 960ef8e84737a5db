import type { Extra } from "#platforms/extras.ts";
import { bearerHeader, withQuery } from "#platforms/request-encoding.ts";
import { isOk } from "#platforms/response.ts";
import { sendRange } from "#platforms/send-range.ts";
import { toFault } from "./errors.ts";
import { THUMBNAIL_URL } from "./hosts.ts";
import { findVideo, NO_VIDEO_FAULT, UPLOAD_TIMEOUT_MS } from "./upload-session.ts";

/**
 * `thumbnails.set` (developers.google.com/youtube/data/reference/rest/v3/thumbnails/set) replaces what the video shows, so it may be
 * repeated. It works for Shorts too once they are processed (developers.google.com/youtube/v3/revision_history).
 */
export const cover: Extra = {
  name: "cover",
  count: (job) => (findVideo(job)?.cover?.image ? 1 : 0),
  send: async (client, job, post) => {
    const image = findVideo(job)?.cover?.image;
    if (!image) {
      return { ok: false, fault: NO_VIDEO_FAULT };
    }
    const { sizeBytes } = image;
    const response = await sendRange(
      client,
      withQuery(THUMBNAIL_URL, { videoId: post.id, uploadType: "media" }),
      image,
      { offset: 0, length: sizeBytes },
      {
        method: "POST",
        headers: {
          ...bearerHeader(job.account.accessToken),
          "content-type": image.contentType,
          "content-length": String(sizeBytes),
        },
        timeoutMs: UPLOAD_TIMEOUT_MS,
      },
    );
    if (response === null) {
      return null;
    }
    if (isOk(response)) {
      return { ok: true, value: { id: null, url: null } };
    }
    const fault = toFault(response, job.now);
    return {
      ok: false,
      fault: fault.platformCode === "forbidden" ? { ...fault, message: NEEDS_VERIFIED_PHONE } : fault,
    };
  },
};

/** The documents name no reason of its own for it; the help page on thumbnails asks for a verified phone number. */
const NEEDS_VERIFIED_PHONE =
  "YouTube does not let this channel set covers: verify its phone number at youtube.com/verify, then set the cover in YouTube Studio.";
