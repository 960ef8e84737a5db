import type { PublishedExtra, SimulatorContext } from "#sandbox/contract.ts";
import { paginate, type Params, selectFields, textParam } from "#sandbox/graph-api.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { invalidParameter, permissionDenied } from "./error-responses.ts";
import { refuseUnknownField } from "./node-fields.ts";
import { formatGraphTime } from "./posts.ts";

/* Comments of a Page on its own posts: https://developers.facebook.com/docs/graph-api/reference/object/comments */

const WRITE_SCOPE = "pages_manage_engagement";
const MESSAGE_MAX = 8000;
const DEFAULT_PAGE_SIZE = 25;

interface Comment {
  readonly id: string;
  readonly object: string;
  readonly page: string;
  readonly message: string;
  readonly createdAt: number;
}

const COMMENTS = recordTable<Comment>("comment:");

export const publishedComments = (sim: SimulatorContext): PublishedExtra[] =>
  COMMENTS.list(sim).map(({ id, object, message }) => ({ name: "first_comment", id, addedTo: object, text: message }));

const toJson = ({ id, object, page, message, createdAt }: Comment) => ({
  id,
  message,
  from: { id: page, name: "The Page" },
  created_time: formatGraphTime(createdAt),
  permalink_url: `https://www.facebook.com/${object}?comment_id=${id.split("_")[1]}`,
});

/** Handles `POST /{object}/comments`. */
export function createComment(
  sim: SimulatorContext,
  page: string,
  object: string,
  params: Params,
  scopes: readonly string[],
): Response {
  if (!scopes.includes(WRITE_SCOPE)) {
    return permissionDenied(sim, `Requires ${WRITE_SCOPE} permission`);
  }
  const message = textParam(params, "message") ?? "";
  if (message.trim() === "") {
    return invalidParameter(sim, "A comment needs a message or an attachment");
  }
  if (message.length > MESSAGE_MAX) {
    return invalidParameter(sim, "The message is too long");
  }
  const fields = textParam(params, "fields") ?? "id";
  const refusal = refuseUnknownField(sim, "Comment", fields);
  if (refusal) {
    return refusal;
  }
  const id = `${object.split("_").at(-1)}_${sim.newId(15)}`;
  const comment: Comment = { id, object, page, message, createdAt: sim.now() };
  COMMENTS.save(sim, id, { ...comment });
  return Response.json(selectFields(toJson(comment), fields));
}

/** Handles `GET /{object}/comments`. */
export function listComments(sim: SimulatorContext, object: string, url: URL, params: Params): Response {
  const direction = textParam(params, "order") === "reverse_chronological" ? -1 : 1;
  const fields = textParam(params, "fields") ?? "created_time,from,message,id";
  const refusal = refuseUnknownField(sim, "Comment", fields);
  if (refusal) {
    return refusal;
  }
  const items = COMMENTS.list(sim)
    .filter((comment) => comment.object === object && comment.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => direction * (a.createdAt - b.createdAt))
    .map((comment) => selectFields(toJson(comment), fields));
  return paginate(url, items, DEFAULT_PAGE_SIZE);
}
