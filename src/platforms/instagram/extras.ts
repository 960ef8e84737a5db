import { graphComment } from "#platforms/graph-comment.ts";
import { toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";

/**
 * Adds the first comment with the token of the person who logged in, for either kind of login:
 * developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments.
 */
export const comment = graphComment({
  url: ({ account }, { id }) => `${graphUrl(account)}/${encodeURIComponent(id)}/comments`,
  token: ({ account }) => account.loginToken,
  listQuery: { fields: "id,text,username,timestamp" },
  isOwn: ({ account }, { username }) => !username || username.toLowerCase() === account.username.toLowerCase(),
  toFault,
});
