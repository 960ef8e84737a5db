import { graphComment } from "#platforms/graph-comment.ts";
import { toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";

/**
 * developers.facebook.com/docs/graph-api/reference/object/comments: all comments are listed only with the filter `stream`. Whether a
 * video has the edge beside its post is open; publishers in use comment on its id (gitroomhq/postiz-app, facebook.provider.ts).
 */
export const comment = graphComment({
  url: ({ account }, { id }) => `${graphUrl(account.app)}/${encodeURIComponent(id)}/comments`,
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
