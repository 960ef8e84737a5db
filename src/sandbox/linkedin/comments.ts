import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { PublishedExtra, SimulatorContext } from "#sandbox/contract.ts";
import type { Token } from "#sandbox/oauth-server.ts";
import { recordTable } from "#sandbox/record-table.ts";
import { accessDenied, errorResponse, invalidValue, missingField, resourceNotFound } from "./error-responses.ts";
import { findShare } from "./posts.ts";
import { canPostAsOrganization } from "./test-users.ts";

/* Comments on posts of pages:
   https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/comments-api. Comments of members
   are refused, as LinkedIn refuses them for self-serve apps (403 partnerApiSocialActions.CREATE). */

const WRITE_SCOPE = "w_organization_social_feed";
const READ_SCOPE = "r_organization_social_feed";
const TEXT_MAX = 1250;
const PAGE_MAX = 100;
const DEFAULT_COUNT = 10;

interface Comment {
  readonly id: string;
  readonly object: string;
  readonly actor: string;
  readonly text: string;
  readonly createdAt: number;
}

const COMMENTS = recordTable<Comment>("comment:");

export const publishedComments = (sim: SimulatorContext): PublishedExtra[] =>
  COMMENTS.list(sim).map(({ id, object, text }) => ({ name: "first_comment", id, addedTo: object, text }));

/** Handles `POST /rest/socialActions/{urn}/comments`. */
export function createComment(sim: SimulatorContext, token: Token, urn: string, body: JsonObject): Response {
  const { actor, object, message } = body;
  if (typeof actor !== "string" || object !== urn) {
    return missingField(typeof actor === "string" ? "/object" : "/actor");
  }
  if (!canPostAsOrganization(sim, token.login, actor) || !token.scopes.includes(WRITE_SCOPE)) {
    return accessDenied("partnerApiSocialActions.CREATE");
  }
  const share = findShare(sim, urn);
  if (!share || share.deleted) {
    return resourceNotFound(`${urn} does not exist`);
  }
  const text = isJsonObject(message) ? message["text"] : undefined;
  if (typeof text !== "string" || text.trim() === "") {
    return invalidValue("ERROR :: /message/text :: must not be blank");
  }
  if (text.length > TEXT_MAX) {
    return errorResponse(400, "FIELD_LENGTH_TOO_LONG", `message.text has at most ${TEXT_MAX} characters`);
  }
  const id = sim.newId(19);
  COMMENTS.save(sim, id, { id, object: urn, actor, text, createdAt: sim.now() });
  return Response.json(toJson({ id, object: urn, actor, text, createdAt: sim.now() }), {
    status: 201,
    headers: { "x-restli-id": id },
  });
}

const toJson = ({ id, object, actor, text, createdAt }: Comment): JsonObject => ({
  id,
  commentUrn: `urn:li:comment:(${object},${id})`,
  actor,
  object,
  message: { attributes: [], text },
  created: { actor, time: createdAt },
});

/** Handles `GET /rest/socialActions/{urn}/comments`. */
export function listComments(sim: SimulatorContext, token: Token, urn: string, url: URL): Response {
  const share = findShare(sim, urn);
  if (!share || share.deleted) {
    return resourceNotFound(`${urn} does not exist`);
  }
  if (!canPostAsOrganization(sim, token.login, share.author) || !token.scopes.includes(READ_SCOPE)) {
    return accessDenied("partnerApiSocialActions.GET_ALL");
  }
  const start = Number(url.searchParams.get("start") ?? 0);
  const count = Math.min(PAGE_MAX, Number(url.searchParams.get("count") ?? DEFAULT_COUNT));
  const all = COMMENTS.list(sim)
    .filter((comment) => comment.object === urn && comment.createdAt + sim.settings.verify_lag_ms <= sim.now())
    .toSorted((a, b) => a.createdAt - b.createdAt);
  return Response.json({
    paging: { start, count, links: [], total: all.length },
    elements: all.slice(start, start + count).map(toJson),
  });
}
