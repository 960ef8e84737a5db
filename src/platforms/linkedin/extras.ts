import { failed, rejected, succeeded, temporary } from "#platforms/fault.ts";
import { firstComment, type ListedComment } from "#platforms/first-comment.ts";
import { postJson, withQuery } from "#platforms/request-encoding.ts";
import { callPlatform, isOk, parseBody } from "#platforms/response.ts";
import { CommentList } from "./answers.ts";
import { toAccountFault } from "./errors.ts";
import { API_ORIGIN, restHeaders, WRITE_TIMEOUT_MS } from "./hosts.ts";

/* Adds the first comment, for pages only
   (learn.microsoft.com/linkedin/marketing/community-management/shares/comments-api). Repeated calls create repeated
   comments, because LinkedIn cannot tell them apart. */

const PAGE_SIZE = 100;
const MAX_PAGES = 5;

const commentsUrl = (urn: string): string => `${API_ORIGIN}/rest/socialActions/${encodeURIComponent(urn)}/comments`;

export const comment = firstComment({
  send: async (client, job, post, text) => {
    const { app, accessToken, platformAccountId: actor } = job.account;
    const response = await callPlatform(client, commentsUrl(post.id), {
      ...postJson({ actor, object: post.id, message: { text } }, restHeaders(app, accessToken)),
      timeoutMs: WRITE_TIMEOUT_MS,
    });
    if (!isOk(response)) {
      return failed(toAccountFault(response, job));
    }
    const id = response.headers.get("x-restli-id");
    return id === null ? null : succeeded({ id, url: null });
  },
  list: async (client, job, post) => {
    const { app, accessToken, platformAccountId } = job.account;
    const comments: ListedComment[] = [];
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = withQuery(commentsUrl(post.id), { start: page * PAGE_SIZE, count: PAGE_SIZE });
      const response = await callPlatform(client, url, { headers: restHeaders(app, accessToken) });
      if (!isOk(response)) {
        return failed(toAccountFault(response, job));
      }
      const list = parseBody(CommentList, response);
      if (!list) {
        return failed(temporary("LinkedIn did not list the comments.", { httpStatus: response.status }));
      }
      comments.push(
        ...list.elements.map(({ id, commentUrn, actor, message }) => ({
          id: id ?? commentUrn ?? null,
          url: null,
          text: message?.text,
          isOwn: actor === platformAccountId,
        })),
      );
      if (list.elements.length < PAGE_SIZE) {
        return succeeded(comments);
      }
    }
    return failed(rejected("The post has too many comments to look for this one.", { httpStatus: null }));
  },
});
