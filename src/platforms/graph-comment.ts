import { z } from "@hono/zod-openapi";
import type { Fault, Job, PlatformClient, Result } from "./contract.ts";
import type { Extra, PublicPost } from "./extras.ts";
import { failed, rejected, succeeded, temporary } from "./fault.ts";
import { firstComment, type ListedComment } from "./first-comment.ts";
import { graphError, graphGet, graphList, graphPost, isAmbiguousResponse, nextCursor } from "./graph-api.ts";
import type { RequestFields } from "./request-encoding.ts";
import { Id, isOk, parseBody, type PlatformResponse } from "./response.ts";

/* The edge `/comments` of Meta's Graph API. `message` creates a comment, and a read lists comments, newest first.
   Repeated calls create repeated comments, because there is no key against them. */

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
  /** The URL of the post's edge with its comments. */
  url(job: Job, post: PublicPost): string;
  token(job: Job): string;
  /**
   * The URL of another edge with the same comments, because some objects refuse new comments at their own edge. Null if
   * there is none.
   */
  readonly otherUrl?: (client: PlatformClient, job: Job, post: PublicPost) => Promise<string | null>;
  /** The fields to read from the answer to a new comment. */
  readonly fields?: string;
  readonly listQuery: RequestFields;
  /** Whether the account wrote the comment. A comment without an author could also be its own. */
  isOwn(job: Job, comment: Comment): boolean;
  toFault(response: PlatformResponse): Fault;
}

/** The error code for an object or edge that does not exist, and for calls that the object does not support. */
const UNSUPPORTED = 100;

export function graphComment(edge: GraphComments): Extra {
  return firstComment({
    send: async (client, job, post, message) => {
      const query = edge.fields === undefined ? "" : `?fields=${edge.fields}`;
      const sendTo = async (url: string) => await graphPost(client, url + query, edge.token(job), { message });
      const first = await sendTo(edge.url(job, post));
      const isUnsupported = !isAmbiguousResponse(first) && graphError(first)?.code === UNSUPPORTED;
      const other = isUnsupported ? await edge.otherUrl?.(client, job, post) : null;
      const response = other ? await sendTo(other) : first;
      if (isOk(response)) {
        const created = parseBody(Comment, response);
        return created ? succeeded({ id: created.id, url: created.permalink_url ?? null }) : null;
      }
      return isAmbiguousResponse(response) ? null : failed(edge.toFault(response));
    },
    list: async (client, job, post) => {
      const own = await listEdge(client, job, edge, edge.url(job, post));
      const other = own.ok ? await edge.otherUrl?.(client, job, post) : null;
      const others = other ? await listEdge(client, job, edge, other) : own;
      return own.ok && others.ok && others !== own ? succeeded([...own.value, ...others.value]) : others;
    },
  });
}

async function listEdge(
  client: PlatformClient,
  job: Job,
  edge: GraphComments,
  url: string,
): Promise<Result<readonly ListedComment[]>> {
  const comments: ListedComment[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = { ...edge.listQuery, limit: PAGE_SIZE, after };
    const response = await graphGet(client, url, edge.token(job), query);
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
}
