import type { Job, JobMedia } from "#platforms/contract.ts";
import type { Extra } from "#platforms/extras.ts";
import { failed, rejected, succeeded } from "#platforms/fault.ts";
import { graphGet, isAmbiguousResponse } from "#platforms/graph-api.ts";
import { graphComment } from "#platforms/graph-comment.ts";
import { bearerHeader } from "#platforms/request-encoding.ts";
import { isOk, parseBody } from "#platforms/response.ts";
import { sendForm } from "#platforms/send-form.ts";
import { isStory } from "#platforms/story.ts";
import { Video } from "./answers.ts";
import { toFault } from "./errors.ts";
import { graphUrl, UPLOAD_TIMEOUT_MS } from "./hosts.ts";
import { asksForCovers } from "./limits.ts";

/**
 * The picture for the cover. A story has no cover. If the login has lost the scopes since the preview, Facebook refuses
 * the call and the extra shows that.
 */
function pictureOf({ media, options, account }: Job): JobMedia | undefined {
  return asksForCovers(account.app.settings) && !isStory(options)
    ? media.find(({ type }) => type === "video")?.cover?.image
    : undefined;
}

/**
 * Sets the cover of a video (developers.facebook.com/docs/graph-api/reference/video/thumbnails). Videos show the
 * preferred picture, so a repeated call leaves the same cover and at worst one more picture to choose from.
 */
export const cover: Extra = {
  name: "cover",
  count: (job) => (pictureOf(job) ? 1 : 0),
  send: async (client, job, post) => {
    const image = pictureOf(job);
    if (!image) {
      return failed(rejected("The video of the post has no cover any more.", { httpStatus: null }));
    }
    const { app, accessToken } = job.account;
    const response = await sendForm(
      client,
      `${graphUrl(app)}/${encodeURIComponent(post.id)}/thumbnails`,
      { is_preferred: "true" },
      { field: "source", media: image, name: image.filename, range: { offset: 0, length: image.sizeBytes } },
      { headers: bearerHeader(accessToken), timeoutMs: UPLOAD_TIMEOUT_MS },
    );
    if (response === null || isOk(response)) {
      return response && succeeded({ id: null, url: null });
    }
    return isAmbiguousResponse(response) ? null : failed(toFault(response));
  },
};

/**
 * Adds the first comment (developers.facebook.com/docs/graph-api/reference/object/comments). Post, Photo, Link and
 * Album have the edge, and only the filter `stream` lists all comments. Some programs comment on the id of a video
 * (gitroomhq/postiz-app, facebook.provider.ts). Others saw this refused (jprjr/multistreamer#89); then the post that
 * shows the video takes the comment.
 */
export const comment = graphComment({
  url: ({ account }, { id }) => `${graphUrl(account.app)}/${encodeURIComponent(id)}/comments`,
  otherUrl: async (client, { account, media }, { id }) => {
    if (media[0]?.type !== "video") {
      return null;
    }
    const { app, accessToken, platformAccountId } = account;
    const response = await graphGet(client, `${graphUrl(app)}/${encodeURIComponent(id)}`, accessToken, {
      fields: "post_id",
    });
    const postId = isOk(response) ? parseBody(Video, response)?.post_id : undefined;
    return postId
      ? `${graphUrl(app)}/${encodeURIComponent(postId.includes("_") ? postId : `${platformAccountId}_${postId}`)}/comments`
      : null;
  },
  token: ({ account }) => account.accessToken,
  fields: "id,permalink_url",
  listQuery: {
    fields: "id,message,from{id},created_time,permalink_url",
    filter: "stream",
    order: "reverse_chronological",
  },
  isOwn: ({ account }, { from }) => !from || from.id === account.platformAccountId,
  toFault,
});
