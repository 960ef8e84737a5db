import { graphComment } from "#platforms/graph-comment.ts";
import { toFault } from "./errors.ts";
import { graphUrl } from "./hosts.ts";

/**
 * developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-media/comments: uses the token
 * of the person who logged in, with either login.
 */
export const comment = graphComment({
  url: ({ account }, { id }) => `${graphUrl(account)}/${encodeURIComponent(id)}/comments`,
  token: ({ account }) => account.loginToken,
  listQuery: { fields: "id,text,username,timestamp" },
  isOwn: ({ account }, { username }) => !username || username.toLowerCase() === account.username.toLowerCase(),
  toFault,
});
