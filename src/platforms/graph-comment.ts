import { z } from "@hono/zod-openapi";
import type { Fault, Job } from "./contract.ts";
import type { Extra, PublicPost } from "./extras.ts";
import { failed, rejected, succeeded, temporary } from "./fault.ts";
import { firstComment, type ListedComment } from "./first-comment.ts";
import { graphGet, graphList, graphPost, isAmbiguousResponse, nextCursor } from "./graph-api.ts";
import type { RequestFields } from "./request-encoding.ts";
import { Id, isOk, parseBody, type PlatformResponse } from "./response.ts";

/*
 * The edge `/comments` of Meta's Graph API: `message` creates a comment, and a read lists them, newest first. It has no key
 * that protects against repeated calls.
 */

const PAGE_SIZE = 50;
const MAX_PAGES = 10;

const Comment = z.looseObject({
  id: Id,
  text: z.string().nullish(),
  message: z.string().nullish(),
  username: z.string().nullish(),
  from: z.looseObject({ id: Id }).nullish(),
  permalink_url: z.string().nullish(),
});
type Comment = z.infer<typeof Comment>;
const Comments = graphList(Comment);

interface GraphComments {
  /** URL of the post's edge. */
  url(job: Job, post: PublicPost): string;
  token(job: Job): string;
  /** The fields to read of a new comment. */
  readonly fields?: string;
  readonly listQuery: RequestFields;
  /** Whether the account wrote it. A comment without an author could be its own. */
  isOwn(job: Job, comment: Comment): boolean;
  toFault(response: PlatformResponse): Fault;
}

export function graphComment(edge: GraphComments): Extra {
  return firstComment({
    send: async (client, job, post, message) => {
      const query = edge.fields === undefined ? "" : `?fields=${edge.fields}`;
      const response = await graphPost(client, edge.url(job, post) + query, edge.token(job), { message });
      if (isOk(response)) {
        const created = parseBody(Comment, response);
        return created ? succeeded({ id: created.id, url: created.permalink_url ?? null }) : null;
      }
      return isAmbiguousResponse(response) ? null : failed(edge.toFault(response));
    },
    list: async (client, job, post) => {
      const comments: ListedComment[] = [];
      let after: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = { ...edge.listQuery, limit: PAGE_SIZE, after };
        const response = await graphGet(client, edge.url(job, post), edge.token(job), query);
        if (!isOk(response)) {
          return failed(edge.toFault(response));
        }
        const list = parseBody(Comments, response);
        if (!list) {
          return failed(temporary("The comments were not listed.", { httpStatus: response.status }));
        }
        comments.push(
          ...list.data.map((comment) => ({
            id: comment.id,
            url: comment.permalink_url ?? null,
            text: comment.text ?? comment.message,
            isOwn: edge.isOwn(job, comment),
          })),
        );
        after = nextCursor(list.paging);
        if (after === undefined) {
          return succeeded(comments);
        }
      }
      return failed(rejected("The post has too many comments to look for this one.", { httpStatus: null }));
    },
  });
}
